// Settling what a request cost: its ledger row is written first, then its reservation is settled. Each step may be repeated, also by
// another function later; nothing is counted twice, and the real cost replaces what was booked for a call that was thought dead.
import { totalTokens } from "../catalog/token-usage.ts";
import { optimistically } from "../kernel/optimistic.ts";
import type { LedgerRow, LedgerStore } from "../ledger/ledger.ts";
import type { LedgerTransactions } from "./ledger-row.ts";
import { finalRow, nothingBilled, type Outcome, type RowFacts } from "./ledger-row.ts";
import { attemptOf, leaseMs, type Reservation } from "./reservation.ts";
import { type FallbackChange, reservationOf, type SpendingKey, type SpendingStore } from "./spending.ts";

/** A request that was admitted, as far as is known when it ends. */
export type Settleable = {
  key: SpendingKey;
  /** The reservation as it was seen last. */
  reservation: Reservation;
  /** True if the reservation may have changed or gone since it was seen: it is read first. */
  isOld?: boolean | undefined;
  /** True if an admission of the request got no answer: it may still take effect. */
  answerLost?: boolean | undefined;
} & FallbackChange;

export type SettlementDependencies = RowFacts & {
  ledger: Pick<LedgerStore, "putIfAbsent" | "get">;
  spending: Pick<SpendingStore, "settle" | "read" | "putTombstone">;
  transactions: Pick<LedgerTransactions, "correct">;
};

export class Settlements {
  readonly #deps: SettlementDependencies;

  constructor(deps: SettlementDependencies) {
    this.#deps = deps;
  }

  /** Settles what a request cost. If it is settled twice with a final row, the first decides the cost. */
  async settle(settled: Settleable, outcome: Outcome): Promise<void> {
    const { key, reservation, isOld, answerLost } = settled;
    const standing = isOld ? await this.#standing(key, reservation) : reservation;
    // Only the call's own function knows the region that the call went to in the end.
    const { profile, region } = reservation;
    const truth = finalRow(this.#deps, key, { ...(standing ?? reservation), profile, region }, outcome);
    // A call that cost nothing needs a row only if a late write could bring its reservation back: the reclaim then finds the row.
    const needsRow = outcome.cost > 0 || answerLost === true;
    let row = truth;
    if (needsRow) {
      row = await this.#deps.ledger.putIfAbsent(truth);
      // Bounds do not replace bounds: the model host's log may still tell what the call used.
      if (row.provisional && !truth.provisional) {
        await this.#correct(key, row, truth, standing);
        return;
      }
    }
    const isBooked = standing !== undefined && (await this.#book(settled, row, standing));
    if (isBooked || needsRow) return;
    const left = await this.#deps.ledger.get(truth);
    if (left?.provisional) await this.#correct(key, left, truth, undefined);
  }

  /** Settles a call that the model host did not bill. */
  async release(settled: Settleable): Promise<void> {
    await this.settle(settled, nothingBilled);
  }

  /**
   * Gives up an admission whose answer was lost: a tombstone keeps it from taking effect, however late it comes.
   */
  async giveUp(key: SpendingKey, reservation: Reservation): Promise<void> {
    const { requestId } = reservation;
    await optimistically(async () => {
      const leaseEndsAt = this.#deps.clock() + leaseMs;
      const { written, spending } = await this.#deps.spending.putTombstone(key, { requestId, leaseEndsAt });
      const standing = written ? undefined : reservationOf(spending, requestId);
      if (!standing) {
        const truth = finalRow(this.#deps, key, reservation, nothingBilled);
        const row = await this.#deps.ledger.get(truth);
        if (row?.provisional) await this.#correct(key, row, truth, undefined);
        return true;
      }
      await this.#deps.spending.settle({ key, reservation: standing, cost: 0, tokens: 0 });
      return undefined;
    });
  }

  /**
   * Settles the request's reservation by its row. In between it changes only by writes of its own function whose answers were lost.
   * @returns false if the request has no reservation any more
   */
  #book(settled: Settleable, row: LedgerRow, found: Reservation): Promise<boolean> {
    const { key, reservation: own, begun, ended } = settled;
    let standing = found;
    return optimistically(async () => {
      const { written, spending } = await this.#deps.spending.settle({
        key,
        reservation: standing,
        ...dueFor(row, standing),
        ...{ begun, ended },
      });
      if (written) return true;
      const met = await this.#ownOf(key, own, reservationOf(spending, own.requestId));
      if (!met) return false;
      standing = met;
      return undefined;
    });
  }

  async #standing(key: SpendingKey, reservation: Reservation): Promise<Reservation | undefined> {
    const { spending } = await this.#deps.spending.read(key, { onCredit: false });
    return this.#ownOf(key, reservation, reservationOf(spending, reservation.requestId));
  }

  /** The request's own reservation. One of another attempt never called the model host, and is removed. */
  async #ownOf(key: SpendingKey, own: Reservation, found: Reservation | undefined): Promise<Reservation | undefined> {
    if (!found || attemptOf(found.version) === attemptOf(own.version)) return found;
    await this.#deps.spending.settle({ key, reservation: found, cost: 0, tokens: 0 });
    return undefined;
  }

  /**
   * Puts the final row in place of the provisional one. A reservation of another attempt than the row's is settled with it; if it
   * has changed meanwhile, its reclaim will find the final row of another attempt and book nothing.
   */
  async #correct(
    key: SpendingKey,
    standing: LedgerRow,
    truth: LedgerRow,
    reservation: Reservation | undefined,
  ): Promise<void> {
    const { transactions, ledger } = this.#deps;
    const other = reservation && attemptOf(reservation.version) !== attemptOf(standing.version);
    if (await transactions.correct(key, { standing, truth }, other ? reservation : undefined)) return;
    const left = await ledger.get(truth);
    if (left?.provisional) await transactions.correct(key, { standing: left, truth });
  }
}

/** The amounts that the settlement books: zero if the row of another attempt has booked the cost already. */
function dueFor(row: LedgerRow, reservation: Reservation): { cost: number; tokens: number } {
  const isOwn = attemptOf(row.version) === attemptOf(reservation.version);
  return isOwn ? { cost: row.cost, tokens: totalTokens(row.usage) } : { cost: 0, tokens: 0 };
}
