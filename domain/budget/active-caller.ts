// Active callers: who has spending in a month, as the meter walks through them.
import type { Spending, SpendingKey } from "./spending.ts";

/** A caller's spending; or why it could not be read, which is nobody else's trouble. */
export type ActiveCaller = { key: SpendingKey } & (
  | {
      spending: Spending;
      /** Milliseconds: nothing of the caller's lies in an hour before. */
      firstAdmittedAt: number;
    }
  | { problem: unknown }
);

export interface ActiveCallerStore {
  /** Page by page, those of a tenant one after the other. A caller may be missing for some seconds after its first call. */
  of(month: string, shard: number): AsyncIterable<ActiveCaller[]>;
}
