// Reclaiming reservations whose function died: each is booked at the most that it may have cost, as a provisional ledger row. The
// caller's next admission does it, or the meter.
import { totalTokens } from "../catalog/token-usage.ts";
import type { LedgerRow, LedgerStore } from "../ledger/ledger.ts";
import type { LedgerTransactions } from "./ledger-row.ts";
import { provisionalRow, type RowFacts } from "./ledger-row.ts";
import { attemptOf, isOver, type Reservation } from "./reservation.ts";
import type { Credit, Spending, SpendingKey, SpendingStore } from "./spending.ts";

export type ReclaimDependencies = RowFacts & {
  spending: Pick<SpendingStore, "settle" | "removeTombstone" | "read">;
  ledger: Pick<LedgerStore, "get">;
  transactions: Pick<LedgerTransactions, "reclaim" | "reclaimAgain">;
};

export class Reclaim {
  readonly #deps: ReclaimDependencies;

  constructor(deps: ReclaimDependencies) {
    this.#deps = deps;
  }

  /** @returns the reservations that were over, and whether the state has changed, tombstones included */
  async spending(key: SpendingKey, spending: Spending): Promise<{ reclaimed: Reservation[]; changed: boolean }> {
    const now = this.#deps.clock();
    const reclaimed = spending.reservations.filter((reservation) => isOver(reservation, now));
    const tombstones = spending.tombstones.filter((tombstone) => isOver(tombstone, now));
    for (const reservation of reclaimed) await this.#reservation(key, reservation);
    for (const { requestId } of tombstones) await this.#deps.spending.removeTombstone(key, requestId);
    return { reclaimed, changed: reclaimed.length + tombstones.length > 0 };
  }

  /** Reclaims dead calls of any caller on the tenant's free credit. @returns whether there were any */
  async credit({ tenantId }: SpendingKey, { reservations }: Credit): Promise<boolean> {
    const dead = reservations.filter((reservation) => isOver(reservation, this.#deps.clock()));
    for (const { callerId, month } of dead) {
      const key = { tenantId, callerId, month };
      const { spending } = await this.#deps.spending.read(key, { onCredit: false });
      await this.spending(key, spending);
    }
    return dead.length > 0;
  }

  async #reservation(key: SpendingKey, reservation: Reservation): Promise<void> {
    const row = provisionalRow(this.#deps, key, reservation);
    if (await this.#deps.transactions.reclaim(key, reservation, row)) return;
    const standing = await this.#deps.ledger.get(row);
    // If there is no row, the reservation itself has changed: its function is alive, or has settled it.
    if (standing) await this.#booked(key, reservation, standing);
  }

  /** The request has a row already: its function died between its two writes, or another attempt of the request is booked. */
  async #booked(key: SpendingKey, reservation: Reservation, standing: LedgerRow): Promise<void> {
    const sameAttempt = attemptOf(standing.version) === attemptOf(reservation.version);
    if (standing.provisional && !sameAttempt) {
      // Both attempts may have called the model host. If the final row has come since, the next reclaim sees it.
      await this.#deps.transactions.reclaimAgain(key, reservation, standing);
      return;
    }
    const { cost, tokens } = sameAttempt ? billedBy(standing) : { cost: 0, tokens: 0 };
    await this.#deps.spending.settle({ key, reservation, cost, tokens });
  }
}

function billedBy({ cost, usage }: LedgerRow) {
  return { cost, tokens: totalTokens(usage) };
}
