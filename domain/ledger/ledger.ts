// The ledger: one row for each settled request, from which everything else is derived. A row is absent, then perhaps
// provisional, then final; a final one never changes.
import type { TokenUsage, UsageSource } from "../catalog/token-usage.ts";

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
  /** Of the reservation that it settled. */
  version: number;
  /** Booked at its bounds because the function died: true usage replaces it once, within 40 days. */
  provisional?: true | undefined;
  /** Its tokens came out of the tenant's free credit. */
  on_credit?: true | undefined;
  /** What the report of its hour said of it, if the truth came after that. Nano-USD. */
  billed?: number | undefined;
};

export interface LedgerStore {
  /** Writes the row unless the request has one. Gives the row that stands. */
  putIfAbsent(row: LedgerRow): Promise<LedgerRow>;
  get(row: Pick<LedgerRow, "tenant_id" | "admitted_at" | "request_id">): Promise<LedgerRow | undefined>;
  /** A tenant's hour, page by page: an hour can hold more rows than memory. */
  hour(tenantId: string, hour: string): AsyncIterable<LedgerRow[]>;
}
