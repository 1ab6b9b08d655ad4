// An admission's way to its one conditional write. The state is guessed by what this instance saw last, so that a warm admission
// is one call to the store; the write's condition tells whether the guess was right, and what is true if it was not.
import { isCreditSpent } from "../../../domain/budget/plan.ts";
import { microsOf } from "../../../domain/budget/rate-limit.ts";
import { creditTokensOf, isTicket, type Reservation } from "../../../domain/budget/reservation.ts";
import {
  type AdmissionOutcome,
  type AdmissionWrite,
  type Decision,
  type Held,
  nothingSpent,
  reservationOf,
  type SpendingKey,
  type SpendingState,
  type SpendingStore,
  type Written,
} from "../../../domain/budget/spending.ts";
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { isLastingConflict, pauseAfterConflict } from "../client.ts";
import { type RateGuess, rateForm } from "./rate-expression.ts";
import type { Seen, SpendingMemory } from "./spending-memory.ts";

type Parts = {
  memory: SpendingMemory;
  read: (key: SpendingKey, options: { onCredit: boolean }) => Promise<SpendingState>;
  /** Sends the conditional write once. @throws Refusal store_unavailable, also if another transaction is in the way */
  write: (
    asked: AdmissionWrite,
    reservation: Reservation | undefined,
    guess: RateGuess,
    state: SpendingState,
  ) => Promise<Written>;
  clock: () => number;
};

/** The number of writes without an answer after which an admission gives up. */
const maxLost = 3;
/** The number of writes that met other transactions after which an admission gives up: some three seconds of pauses, seven at most. */
export const maxConflicts = 14;
/** How long a credit counts as it was read: a payment method, and a grant that is changed by hand, count after this at the latest. */
const rememberedMs = 60_000;

/**
 * The one layer that repeats an admission's write. A round whose write was outrun or found no answer is followed by another
 * round, up to the limit of all optimistic writes; conflicts with other transactions are counted over all rounds. So an admission
 * sends 5 + 13 writes at most, each of them once. `until` bounds the time: no reservation is sent after it, and each call to the
 * store ends by its own timeout.
 */
export function guessedAdmission({ memory, read, write, clock }: Parts): SpendingStore["admit"] {
  return (asked) => {
    const { key, requestId, ticket, limits, hasFreshLimits, onCredit, until, decide } = asked;
    const beganMicros = microsOf(clock());
    const seen = memory.lastSeen(key);
    let state = guessOf(seen, onCredit);
    let isKnown = false;
    let lost = 0;
    let conflicts = 0;

    const look = async () => {
      state = await read(key, { onCredit });
      isKnown = true;
    };
    const outcome = (written: boolean, held?: Held): AdmissionOutcome => {
      const reservation = isKnown && requestId ? reservationOf(state.spending, requestId) : undefined;
      return { ...state, written, reservation, ...(held && { held }) };
    };

    /** The outcome, if no write is needed for it, or what is to be written. */
    async function decided(): Promise<AdmissionOutcome | { toWrite: Reservation | undefined }> {
      if (!isKnown && !mayBeGuessed(asked, seen, clock())) await look();
      let decision: Decision | undefined;
      if (!isKnown) {
        decision = decide(state);
        if (isLasting(decision, state)) return outcome(false, decision);
        if (decision.kind !== "admit" || decision.isShortened) await look();
      }
      if (isKnown) {
        // An admission whose answer was lost may have taken effect, and a ticket may have been thought dead.
        const met = outcome(false);
        if (ticket ? !met.reservation || !isTicket(met.reservation) : met.reservation) return met;
        decision = decide(state);
      }
      if (decision?.kind !== "admit") return outcome(false, decision);
      return { toWrite: decision.reservation };
    }

    async function round(number: number): Promise<AdmissionOutcome | undefined> {
      const next = await decided();
      if (!("toWrite" in next)) return next;
      const nowMicros = microsOf(clock());
      if (!ticket && clock() > until) return outcome(false);
      // Others can turn each guess wrong where the rate refills faster than the store answers: the longer the rounds have taken, the further
      // the form `idle` reaches into a bucket that is in use.
      const slackMicros = (number - 1) * (nowMicros - beganMicros);
      const guess = rateForm(state.spending, limits.rate, { isFresh: hasFreshLimits, nowMicros, slackMicros });
      try {
        const met = await write(asked, next.toWrite, guess, state);
        const credit = met.credit ?? state.credit;
        state = { spending: met.spending, ...(credit && { credit }) };
        isKnown = true;
        const result = outcome(met.written);
        if (met.written && !next.toWrite) return result;
        // Another function reclaimed the reservation before this one read its own write: a provisional row may exist.
        if (met.written && !result.reservation && !ticket) asked.noteLost();
        return met.written && (result.reservation || ticket) ? result : undefined;
      } catch (error) {
        if (isLastingConflict(error)) return afterConflict(error, number, next.toWrite);
        if (ticket || !next.toWrite) throw error;
        asked.noteLost();
        lost += 1;
        if (!(error instanceof Refusal) || lost === maxLost) throw error;
        return undefined;
      }
    }

    /** A write in conflict had no effect and told nothing of the state: the same round is played again. */
    async function afterConflict(error: unknown, number: number, toWrite: Reservation | undefined) {
      conflicts += 1;
      if (conflicts < maxConflicts) {
        await pauseAfterConflict(conflicts);
        return round(number);
      }
      // All callers of a tenant share its credit: whoever is always too late there is refused by the state that others made.
      if (toWrite && creditTokensOf(toWrite) === 0) throw error;
      await look();
      return outcome(false);
    }

    return optimistically(round, () => outcome(false));
  };
}

/**
 * A ticket is filled, and a call that costs nothing passes a credit, only by what is true. A credit's grant is known from its row
 * alone: the write's condition may not name it.
 */
function mayBeGuessed({ ticket, requestId, onCredit }: AdmissionWrite, seen: Seen | undefined, now: number): boolean {
  if (ticket !== undefined) return false;
  if (!onCredit) return true;
  return requestId !== undefined && seen?.credit !== undefined && now < (seen.creditSeenAt ?? 0) + rememberedMs;
}

function guessOf(seen: Seen | undefined, onCredit: boolean): SpendingState {
  const { spending = nothingSpent, credit } = seen ?? {};
  return { spending, ...(onCredit && credit && { credit }) };
}

/** A spent credit does not come back, so that a caller who goes on asking costs the store nothing. */
function isLasting(decision: Decision, { credit }: SpendingState): decision is Held {
  return "isLasting" in decision && credit !== undefined && isCreditSpent(credit);
}
