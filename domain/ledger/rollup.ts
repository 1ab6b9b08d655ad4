// Rollups: what a tenant used in one hour, by caller and model. A rollup is always computed from the whole hour of the ledger and
// never added to, so that computing it twice changes nothing.

import { type TokenUsage, totalTokens } from "../catalog/token-usage.ts";
import { billable, type LedgerRow } from "./ledger.ts";

export type Totals = TokenUsage & {
  requests: number;
  /** Requests whose usage the model host never told. Their tokens are upper bounds. */
  estimated_requests: number;
  /** Integer nano-USD. Budgets pay it: of a call whose usage the model host never told it is an upper bound. */
  cost: number;
  /** Nano-USD: what an invoice has of `cost`, before free credit. */
  billable_cost: number;
  /** The part of `billable_cost` that free credit paid, in nano-USD. */
  credit: number;
  /** The part of `cost` that the estimated requests have. */
  estimated_cost: number;
};

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

/** The totals of no call. A rollup that was stored before a figure existed takes that figure from here. */
export const nothingUsed: Totals = {
  requests: 0,
  estimated_requests: 0,
  cost: 0,
  billable_cost: 0,
  credit: 0,
  estimated_cost: 0,
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
  const { usage, cost, source } = row;
  if (cost === 0 && totalTokens(usage) === 0) return nothingUsed;
  const isEstimated = source === "estimated";
  return {
    ...usage,
    cost,
    billable_cost: billable(row).cost,
    credit,
    requests: 1,
    estimated_requests: isEstimated ? 1 : 0,
    estimated_cost: isEstimated ? cost : 0,
  };
}

export function added(one: Totals, other: Totals): Totals {
  return {
    requests: one.requests + other.requests,
    estimated_requests: one.estimated_requests + other.estimated_requests,
    cost: one.cost + other.cost,
    billable_cost: one.billable_cost + other.billable_cost,
    credit: one.credit + other.credit,
    estimated_cost: one.estimated_cost + other.estimated_cost,
    input: one.input + other.input,
    output: one.output + other.output,
    cache_read: one.cache_read + other.cache_read,
    cache_write_5m: one.cache_write_5m + other.cache_write_5m,
    cache_write_1h: one.cache_write_1h + other.cache_write_1h,
  };
}
