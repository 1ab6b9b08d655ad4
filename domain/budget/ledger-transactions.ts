// Writes that change the ledger and a caller's spending together. Each is one transaction: all of it or nothing.
import type { LedgerRow } from "../ledger/ledger.ts";
import type { Reservation } from "./reservation.ts";
import type { SpendingKey } from "./spending.ts";

export interface LedgerTransactions {
  /** Books a dead reservation at its amount: puts the row unless the request has one, and settles the reservation. */
  reclaim(key: SpendingKey, reservation: Reservation, provisional: LedgerRow): Promise<boolean>;
  /** A second attempt of the same request died too: its amount goes on top of the provisional row that stands. */
  reclaimAgain(key: SpendingKey, reservation: Reservation, standing: LedgerRow): Promise<boolean>;
  /**
   * Replaces a provisional row, if it still stands at that cost, and books the difference. If the hour is reported already,
   * the difference goes into the next report.
   * @param own the request's own reservation of another attempt, settled with it
   */
  correct(
    key: SpendingKey,
    rows: { standing: LedgerRow; truth: LedgerRow },
    own?: Reservation | undefined,
  ): Promise<boolean>;
}
