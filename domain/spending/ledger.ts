// The ledger: one row for each settled request, from which everything else is derived. A row is absent, then perhaps
// provisional, then final; a final one never changes.
import type { TokenUsage, UsageSource } from "../messages/usage.ts";
import type { Reservation } from "./reservation.ts";
import type { SpendingKey } from "./spending.ts";

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

/** Writes that belong to the ledger and to the caller's spending alike: each is one transaction, all of it or nothing. */
export interface LedgerTransactions {
  /** Books a dead reservation at its amount: puts the row unless the request has one, and settles the reservation. */
  reclaim(key: SpendingKey, reservation: Reservation, provisional: LedgerRow): Promise<boolean>;
  /** A second attempt of the same request died too: its amount goes on top of the provisional row that stands. */
  reclaimAgain(key: SpendingKey, reservation: Reservation, standing: LedgerRow): Promise<boolean>;
  /**
   * Replaces a provisional row, if it still stands at that cost, and books the difference. What the hour's report said
   * already is carried to the next one.
   * @param own the request's own reservation of another attempt, settled with it
   */
  correct(
    key: SpendingKey,
    rows: { standing: LedgerRow; truth: LedgerRow },
    own?: Reservation | undefined,
  ): Promise<boolean>;
}
