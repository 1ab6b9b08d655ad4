// Rollups: what a tenant used in one hour, by caller and model. Always computed anew from the ledger, never added to, so
// that computing one twice changes nothing.

import { type TokenUsage, totalTokens } from "../catalog/token-usage.ts";
import type { LedgerRow } from "./ledger.ts";

export type Totals = TokenUsage & {
  requests: number;
  /** Requests whose usage the model host never said; their tokens are bounds. */
  estimated_requests: number;
  /** Integer nano-USD. */
  cost: number;
  /** The part of it that those requests have. */
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
   * Writes the rollups of one hour of a tenant in place of those that were there.
   * @param readAt when the ledger was read for them, in milliseconds: a slower job does not bring back what it read before
   */
  put(rollups: Rollup[], readAt: number): Promise<void>;
  /** Those of the hours (or days) from `from` to `to`, both included, page by page in the order of their hours. */
  list(tenantId: string, from: string, to: string): AsyncIterable<Rollup[]>;
}

export const nothingUsed: Totals = {
  requests: 0,
  estimated_requests: 0,
  cost: 0,
  estimated_cost: 0,
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
};

/** The sums of one hour's ledger rows by caller and model: as many as there are groups, however many rows there are. */
export class RollupGroups {
  readonly #groups = new Map<string, Totals>();

  add(row: LedgerRow): void {
    const group = JSON.stringify([row.caller_id, row.model]);
    this.#groups.set(group, added(this.#groups.get(group) ?? nothingUsed, totalsOf(row)));
  }

  rollups(tenantId: string, hour: string): Rollup[] {
    return [...this.#groups].map(([key, totals]) => {
      const [caller_id, model] = JSON.parse(key) as [string, string];
      return { tenant_id: tenantId, hour, caller_id, model, ...totals };
    });
  }
}

/** A row of nothing is there so that a late admission finds it: its call never reached the model host, or was refused there. */
export function totalsOf({ usage, cost, source }: LedgerRow): Totals {
  if (cost === 0 && totalTokens(usage) === 0) return nothingUsed;
  const isEstimated = source === "estimated";
  return {
    ...usage,
    cost,
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
    estimated_cost: one.estimated_cost + other.estimated_cost,
    input: one.input + other.input,
    output: one.output + other.output,
    cache_read: one.cache_read + other.cache_read,
    cache_write_5m: one.cache_write_5m + other.cache_write_5m,
    cache_write_1h: one.cache_write_1h + other.cache_write_1h,
  };
}
