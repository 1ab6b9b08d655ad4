// Rollups: what a tenant used in one hour, by caller and model. A rollup is always computed from the whole hour of the ledger and
// never added to, so that computing it twice changes nothing.

import type { CostParts } from "../catalog/price.ts";
import { type TokenUsage, totalTokens } from "../catalog/token-usage.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { Retention } from "../kernel/retention.ts";
import { billable, knownUsage, type LedgerRow } from "./ledger.ts";

export type Totals = TokenUsage & {
  requests: number;
  /** Requests whose usage the model host never told. Their tokens are upper bounds. */
  estimated_requests: number;
  /** Integer nano-USD. Budgets pay it: of a call whose usage the model host never told it is an upper bound. */
  cost: number;
  /** Nano-USD: what an invoice has of `cost`, before free credit. */
  billable_cost: number;
  /** Nano-USD: what an invoice would have of the calls that were admitted while the platform billed nobody. */
  unbilled_cost: number;
  /** The part of `billable_cost` that free credit paid, in nano-USD. */
  credit: number;
  /** The part of `cost` that the estimated requests have. */
  estimated_cost: number;
  /** The cost of this kind of token. The part of `cost` that belongs to no kind comes from calls whose split is not known. */
  input_cost: number;
  output_cost: number;
  cache_read_cost: number;
  cache_write_5m_cost: number;
  cache_write_1h_cost: number;
  /** The amount that caching saved, over the calls whose cost by kind of token is known. */
  saved: number;
};

export const rollupRetention = { months: 25 } as const satisfies Retention;

export type Rollup = Totals & {
  tenant_id: string;
  /** `2026-11-21T05` */
  hour: string;
  caller_id: string;
  /** Public model id. */
  model: string;
};

export interface RollupStore {
  /**
   * Replaces the rollups of a tenant's hour.
   * @param readAt when the ledger was read, in milliseconds. A rollup that was computed from a later reading stays
   */
  put(rollups: Rollup[], readAt: number): Promise<void>;
  /** The rollups of the hours (or days) from `from` to `to`, both included, page by page in the order of their hours. */
  list(tenantId: string, from: string, to: string): AsyncIterable<Rollup[]>;
}

/** The totals of no call. */
export const nothingUsed: Totals = {
  requests: 0,
  estimated_requests: 0,
  cost: 0,
  billable_cost: 0,
  unbilled_cost: 0,
  credit: 0,
  estimated_cost: 0,
  input_cost: 0,
  output_cost: 0,
  cache_read_cost: 0,
  cache_write_5m_cost: 0,
  cache_write_1h_cost: 0,
  saved: 0,
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
};

/** Sums one hour's ledger rows by caller and model. Its size grows with the groups, not with the rows. */
export class RollupGroups {
  readonly #groups = new Map<string, Totals>();

  /** @param credit what free credit paid of the row, in nano-USD */
  add(row: LedgerRow, credit?: number): void {
    const group = JSON.stringify([row.caller_id, row.model]);
    this.#groups.set(group, added(this.#groups.get(group) ?? nothingUsed, totalsOf(row, credit)));
  }

  rollups(tenantId: string, hour: string): Rollup[] {
    return [...this.#groups].map(([key, totals]) => {
      const [caller_id, model] = JSON.parse(key) as [string, string];
      return { tenant_id: tenantId, hour, caller_id, model, ...totals };
    });
  }
}

/**
 * The totals of one row, of which free credit has paid at its admission unless `credit` says what it paid. A row without cost and tokens counts as no request: its call
 * never reached the model host, or was refused there.
 */
export function totalsOf(row: LedgerRow, credit = row.on_credit ? billable(row).cost : 0): Totals {
  const { usage, cost, source, parts } = row;
  if (cost === 0 && totalTokens(usage) === 0) return nothingUsed;
  const isEstimated = source === "estimated";
  return {
    ...usage,
    ...costsOf(parts),
    cost,
    billable_cost: billable(row).cost,
    unbilled_cost: row.on_platform ? knownUsage(row).cost : 0,
    credit,
    requests: 1,
    estimated_requests: isEstimated ? 1 : 0,
    estimated_cost: isEstimated ? cost : 0,
  };
}

function costsOf(parts: CostParts | undefined) {
  return {
    input_cost: parts?.input ?? 0,
    output_cost: parts?.output ?? 0,
    cache_read_cost: parts?.cache_read ?? 0,
    cache_write_5m_cost: parts?.cache_write_5m ?? 0,
    cache_write_1h_cost: parts?.cache_write_1h ?? 0,
    saved: parts?.saved ?? 0,
  };
}

/** The part of the cost that belongs to no kind of token: that of calls that stand at their bounds. */
export function costOfNoKind(totals: Totals): NanoUsd {
  const { cost, input_cost, output_cost, cache_read_cost, cache_write_5m_cost, cache_write_1h_cost } = totals;
  return cost - input_cost - output_cost - cache_read_cost - cache_write_5m_cost - cache_write_1h_cost;
}

const figures = Object.keys(nothingUsed) as (keyof Totals)[];

export function added(one: Totals, other: Totals): Totals {
  const sum = { ...nothingUsed };
  for (const figure of figures) sum[figure] = one[figure] + other[figure];
  return sum;
}
