// Active callers: the meter reads in pages whoever has spending in a month.
import type { Spending, SpendingKey } from "./spending.ts";

/** A caller's spending, or why it could not be read: one unreadable item does not stop the others. */
export type ActiveCaller = { key: SpendingKey } & (
  | {
      spending: Spending;
      /** Milliseconds. The caller has no usage in an earlier hour. */
      firstAdmittedAt: number;
    }
  | { problem: unknown }
);

export interface ActiveCallerStore {
  /** Gives pages in which a tenant's callers follow one another. A caller may be missing for some seconds after its first call. */
  of(month: string, shard: number): AsyncIterable<ActiveCaller[]>;
  /** The same for one tenant. */
  ofTenant(tenantId: string, month: string): AsyncIterable<ActiveCaller[]>;
}
