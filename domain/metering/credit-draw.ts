// What free credit pays of a closed hour's usage. Who has no payment method draws on it at each call's admission; of everybody else the
// meter draws it before anything is billed (design, section 6, "Credit").

import type { Credit } from "../budget/spending.ts";
import { totalTokens } from "../catalog/token-usage.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { LedgerRow } from "../ledger/ledger.ts";

/** Of a report: what is not billed. */
export type PaidByCredit = {
  tokens: number;
  /** At list price. */
  value: NanoUsd;
  /** What the tenant was granted in all: no draw goes beyond it. */
  granted: number;
};

export interface CreditReader {
  /** None left of a tenant without a credit. */
  get(tenantId: string): Promise<Credit>;
}

/** Rows in the order in which they are added; of the last one a part. */
export class CreditDraw {
  readonly #granted: number;
  readonly #first: number;
  #left: number;
  #value: NanoUsd = 0;

  /** What calls have reserved stays theirs. */
  constructor({ granted, spent, committed }: Pick<Credit, "granted" | "spent" | "committed">) {
    this.#granted = granted;
    this.#left = Math.max(0, granted - Math.max(spent, committed));
    this.#first = this.#left;
  }

  /**
   * What is to be billed of the row. Of a call of which only its bounds are known, or were reported, nothing is drawn: the truth would
   * return what nobody has paid.
   */
  add(row: LedgerRow): NanoUsd {
    if (row.on_credit) return 0;
    const cost = row.billed ?? row.cost;
    const tokens = totalTokens(row.usage);
    if (row.provisional || row.billed !== undefined || tokens === 0) return cost;
    const drawn = Math.min(this.#left, tokens);
    const free = drawn === tokens ? cost : Math.floor((cost * drawn) / tokens);
    this.#left -= drawn;
    this.#value += free;
    return cost - free;
  }

  /** Undefined if it pays nothing. */
  get paid(): PaidByCredit | undefined {
    const tokens = this.#first - this.#left;
    return tokens === 0 ? undefined : { tokens, value: this.#value, granted: this.#granted };
  }
}
