// The credit draw: what free credit pays of a closed hour. A workspace without a payment method draws on its credit when a call is
// admitted. For a workspace with one the meter draws when it closes the hour, so that the credit is used up before anything is billed.
import type { Credit } from "../budget/spending.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { billable, type LedgerRow } from "../ledger/ledger.ts";

/** The part of an hour that free credit pays and that is not billed. */
export type PaidByCredit = {
  tokens: number;
  /** The cost of those tokens at list price. */
  value: NanoUsd;
  /** All tokens that the tenant was granted. The store refuses a draw beyond them. */
  granted: number;
};

export interface CreditReader {
  /** A tenant without a credit gets one with nothing left. */
  get(tenantId: string): Promise<Credit>;
}

/** The parts of a row's cost, in nano-USD at list price. */
export type Drawn = {
  /** The part that free credit pays, now or at the call's admission. */
  credit: NanoUsd;
  /** The part that is to be billed. */
  due: NanoUsd;
};

/** Draws row by row in the order in which rows are added. The credit may cover the last row in part. */
export class CreditDraw {
  readonly #granted: number;
  readonly #available: number;
  #left: number;
  #value: NanoUsd = 0;

  /** Tokens that calls have reserved (`committed`) are not available. */
  constructor({ granted, spent, committed }: Pick<Credit, "granted" | "spent" | "committed">) {
    this.#granted = granted;
    this.#left = Math.max(0, granted - Math.max(spent, committed));
    this.#available = this.#left;
  }

  /** The draw of an hour that is closed, which paid so many tokens of the same rows in the same order. */
  static again(tokens: number): CreditDraw {
    return new CreditDraw({ granted: tokens, spent: 0, committed: 0 });
  }

  /**
   * What was called while the platform billed nobody comes to nothing, so that free credit is whole when it begins to bill. Nothing is drawn
   * for a row that is provisional, or was when its hour was reported: its true usage may differ, and the difference would be money that the
   * credit had paid.
   */
  add(row: LedgerRow): Drawn {
    const { cost, tokens } = billable(row);
    if (row.on_credit) return { credit: cost, due: 0 };
    if (row.billed !== undefined) return { credit: 0, due: row.billed };
    if (row.provisional || tokens === 0) return { credit: 0, due: cost };
    const drawn = Math.min(this.#left, tokens);
    const free = drawn === tokens ? cost : Math.floor((cost * drawn) / tokens);
    this.#left -= drawn;
    this.#value += free;
    return { credit: free, due: cost - free };
  }

  /** Undefined if the credit pays nothing of the rows. */
  get paid(): PaidByCredit | undefined {
    const tokens = this.#available - this.#left;
    return tokens === 0 ? undefined : { tokens, value: this.#value, granted: this.#granted };
  }
}
