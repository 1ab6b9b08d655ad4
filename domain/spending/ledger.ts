// The ledger: one row for each settled request. It is written once and never changed; everything else is derived from it.
import type { TokenUsage, UsageSource } from "../messages/usage.ts";

/** What the caller's tool says of where a call comes from. A row that was reclaimed has none of it. */
export type CallOrigin = { session_id?: string | undefined; agent_id?: string | undefined };

export type LedgerRow = CallOrigin & {
  tenant_id: string;
  caller_id: string;
  request_id: string;
  /** ISO 8601; the row's hour and the month of its cost. */
  admitted_at: string;
  settled_at: string;
  /** Public model id. */
  model: string;
  /** The inference profile whose price counts. */
  profile: string;
  region: string;
  usage: TokenUsage;
  /** Integer nano-USD. */
  cost: number;
  source: UsageSource;
};

export interface LedgerStore {
  /** Writes the row unless the request has one. Gives the row that stands. */
  putIfAbsent(row: LedgerRow): Promise<LedgerRow>;
  /** All rows of a tenant's hour. */
  hour(tenantId: string, hour: string): Promise<LedgerRow[]>;
}
