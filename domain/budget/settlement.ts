// Settling what a request cost: first its ledger row, then its reservation. Each step may be repeated, by this function or by
// another one later; nothing is counted twice, and the truth replaces what was booked for a call thought dead.
import { totalTokens } from "../catalog/token-usage.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { LedgerRow, LedgerStore } from "../ledger/ledger.ts";
import { finalRow, nothingBilled, type Outcome, type RowFacts } from "./ledger-row.ts";
import type { LedgerTransactions } from "./ledger-transactions.ts";
import { attemptOf, leaseMs, type Reservation } from "./reservation.ts";
import { reservationOf, type SpendingKey, type SpendingStore } from "./spending.ts";

/** A request that was admitted, as far as is known when it ends. */
export type Settleable = {
  key: SpendingKey;
  /** As it was seen last. */
  reservation: Reservation;
  /** It may stand otherwise by now, or no more: it is read first. */
  isOld?: boolean | undefined;
  /** An admission of it was not answered, and may still take effect. */
  answerLost?: boolean | undefined;
};

export type SettlementDependencies = RowFacts & {
  ledger: Pick<LedgerStore, "putIfAbsent" | "get">;
  spending: Pick<SpendingStore, "settle" | "read" | "putTombstone">;
  transactions: Pick<LedgerTransactions, "correct">;
};

/** The reservation changes between two tries only by own writes whose answers were lost. */
const maxTries = 6;

export class Settlements {
  readonly #deps: SettlementDependencies;

  constructor(deps: SettlementDependencies) {
    this.#deps = deps;
  }

  /** Settles what a request cost. Of two that settle it with a final row, the first decides the cost. */
  async settle({ key, reservation, isOld, answerLost }: Settleable, outcome: Outcome): Promise<void> {
    let standing = isOld ? await this.#standing(key, reservation) : reservation;
    const truth = finalRow(this.#deps, key, standing ?? reservation, outcome);
    // What cost nothing needs a row only if a late write could bring the reservation back: its reclaim finds the row.
    const needsRow = outcome.cost > 0 || answerLost === true;
    let row = truth;
    if (needsRow) {
      row = await this.#deps.ledger.putIfAbsent(truth);
      if (row.provisional) {
        await this.#correct(key, row, truth, standing);
        return;
      }
    }
    for (let tries = 1; standing; tries++) {
      const settled = await this.#deps.spending.settle({ key, reservation: standing, ...dueFor(row, standing) });
      if (settled.written) return;
      if (tries === maxTries)
        throw new Refusal("store_unavailable", "The reservation changes faster than it is settled");
      standing = await this.#ownOf(key, reservation, reservationOf(settled.spending, reservation.requestId));
    }
    if (needsRow) return;
    const left = await this.#deps.ledger.get(truth);
    if (left?.provisional) await this.#correct(key, left, truth, undefined);
  }

  /** The model host billed nothing. */
  async release(settled: Settleable): Promise<void> {
    await this.settle(settled, nothingBilled);
  }

  /**
   * Gives up an admission of which an answer was lost: it is not to take effect any more, however late it comes.
   */
  async giveUp(key: SpendingKey, reservation: Reservation): Promise<void> {
    const { requestId } = reservation;
    for (let tries = 1; tries <= maxTries; tries++) {
      const leaseEndsAt = this.#deps.clock() + leaseMs;
      const { written, spending } = await this.#deps.spending.putTombstone(key, { requestId, leaseEndsAt });
      const standing = written ? undefined : reservationOf(spending, requestId);
      if (!standing) {
        const truth = finalRow(this.#deps, key, reservation, nothingBilled);
        const row = await this.#deps.ledger.get(truth);
        if (row?.provisional) await this.#correct(key, row, truth, undefined);
        return;
      }
      await this.#deps.spending.settle({ key, reservation: standing, cost: 0, tokens: 0 });
    }
    throw new Refusal("store_unavailable", "The reservation changes faster than it is given up");
  }

  async #standing(key: SpendingKey, reservation: Reservation): Promise<Reservation | undefined> {
    const { spending } = await this.#deps.spending.read(key, { onCredit: false });
    return this.#ownOf(key, reservation, reservationOf(spending, reservation.requestId));
  }

  /** That of another attempt never called the model host: it is removed. */
  async #ownOf(key: SpendingKey, own: Reservation, found: Reservation | undefined): Promise<Reservation | undefined> {
    if (!found || attemptOf(found.version) === attemptOf(own.version)) return found;
    await this.#deps.spending.settle({ key, reservation: found, cost: 0, tokens: 0 });
    return undefined;
  }

  /**
   * A reservation of another attempt than the row's is settled with it. If that one has changed meanwhile it is left to its
   * lease's end: its reclaim finds a final row of another attempt, and books nothing.
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

/** A row of another attempt has booked the cost: what stands of this one is removed. */
function dueFor(row: LedgerRow, reservation: Reservation): { cost: number; tokens: number } {
  const isOwn = attemptOf(row.version) === attemptOf(reservation.version);
  return isOwn ? { cost: row.cost, tokens: totalTokens(row.usage) } : { cost: 0, tokens: 0 };
}
