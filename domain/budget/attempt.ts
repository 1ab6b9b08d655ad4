// An attempt of an admission: it decides by a state, and writes what it decided under the guards that it decided by. The first state is
// guessed by what this instance saw last, so that a warm admission is one call to the store; the write's guards tell whether the guess was
// right, and the store's answer what is true if it was not.
import { configurationTtlMs } from "../kernel/cache.ts";
import { maxAttempts } from "../kernel/optimistic.ts";
import { Refusal } from "../kernel/refusal.ts";
import { sliceGuards } from "./allowance.ts";
import { isNew, isUnchanged } from "./guard.ts";
import { budgetGuards, creditGuards, hasPlace, isCreditSpent, windowGuards } from "./plan.ts";
import { microsOf, turnOf } from "./rate-limit.ts";
import { creditTokensOf, isTicket, type Reservation } from "./reservation.ts";
import {
  type AdmissionWrite,
  type Limits,
  nothingSpent,
  reservationOf,
  type Seen,
  type SpendingKey,
  type SpendingState,
  type SpendingStore,
  type Written,
} from "./spending.ts";
import type { WaitingDependencies } from "./waiting.ts";

export type AttemptDependencies = Pick<WaitingDependencies, "clock" | "pause" | "jitter"> & {
  spending: Pick<SpendingStore, "lastSeen" | "read" | "admit">;
};

/** The admission that a call asks for in an attempt. */
export type Asked = {
  key: SpendingKey;
  /** Undefined for a call that costs nothing. */
  requestId: string | undefined;
  /** Set if the request has a ticket already, which then becomes a reservation. */
  ticket: Reservation | undefined;
  limits: Limits;
  /** The limits were read past every cache: a state that was counted by another rate limit is counted by theirs from now on. */
  hasFreshLimits: boolean;
  onCredit: boolean;
  /** If true, the reservations must be within the caller's slices of the owner's allowance. */
  isLimited: boolean;
  /** Milliseconds: no admission is sent after this. */
  until: number;
};

/** The decision about a call in a state: what may be written, or why nothing may. */
export type Decision =
  /** A call that costs nothing has no reservation. `isShortened`: less is reserved than was asked for. */
  { kind: "admit"; reservation: Reservation | undefined; isShortened: boolean } | Held;

/** Why nothing is written now. */
export type Held =
  /**
   * `isLasting`: only a payment method ends this, which may take a minute to count. A state that was read in the last minute is
   * therefore reason enough.
   */
  | { kind: "wait" | "busy" | "refuse"; refusal: Refusal; isLasting?: true }
  /** Calls whose leases are over stand in the way, and are to be reclaimed. */
  | { kind: "reclaim" }
  /** The caller's slices of the owner's allowance lack this much. */
  | { kind: "draw"; need: number }
  /** The state was counted by another rate limit: the limits may have changed, and are to be read again. */
  | { kind: "refresh" };

export type Attempted = Written & {
  /** The reservation or ticket that the request has now. */
  reservation?: Reservation | undefined;
  /** Why nothing was written. If this is missing together with the reservation, other calls changed the item before each write. */
  held?: Held;
};

/** The number of writes without an answer after which an attempt gives up. */
const maxLost = 3;
/** The number of writes that met other transactions after which an attempt gives up: some three seconds of pauses, seven at most. */
export const maxConflicts = 14;
const conflictPauseMs = 40;
const longestConflictPauseMs = 640;

/**
 * Repeats a write that was outrun or found no answer, in five rounds at most, and within a round one that met another's transaction, thirteen
 * times in all rounds. Nothing below it repeats a write of an admission. `until` bounds the time: nothing is sent after it, and each call to
 * the store ends by its own timeout.
 */
export class Attempts {
  readonly #deps: AttemptDependencies;
  #lost = 0;

  constructor(deps: AttemptDependencies) {
    this.#deps = deps;
  }

  /** The number of writes that were sent and not answered, of all attempts. Each may still take effect, so the next one has another version. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * @param decide decides by each state that a write has met, and by a guessed state
   * @throws Refusal store_unavailable
   */
  async run(asked: Asked, decide: (state: SpendingState) => Decision): Promise<Attempted> {
    const { spending, clock } = this.#deps;
    const { ticket } = asked;
    const beganMicros = microsOf(clock());
    const view = new View(this.#deps, asked);
    let lost = 0;
    let conflicts = 0;
    for (let round = 1; round <= maxAttempts; ) {
      const decision = await view.decided(decide);
      if (decision?.kind !== "admit") return view.outcome(false, decision);
      if (!ticket && clock() > asked.until) return view.outcome(false);
      const { reservation } = decision;
      const nowMicros = microsOf(clock());
      // Others can turn each guess wrong where the rate refills faster than the store answers: the longer the rounds have taken, the further
      // the form `idle` reaches into a bucket that is in use.
      const slackMicros = (round - 1) * (nowMicros - beganMicros);
      const write = writeOf(asked, reservation, view.state, { nowMicros, slackMicros });
      let answer: Written | "conflict";
      try {
        answer = await spending.admit(write);
      } catch (error) {
        if (ticket || !reservation) throw error;
        this.#lost += 1;
        lost += 1;
        if (!(error instanceof Refusal) || lost === maxLost) throw error;
        round += 1;
        continue;
      }
      if (answer === "conflict") {
        conflicts += 1;
        if (conflicts === maxConflicts) return this.#outrun(view, reservation);
        await this.#pauseAfterConflict(conflicts);
        continue;
      }
      view.meet(answer);
      const result = view.outcome(answer.written);
      if (answer.written && (!reservation || result.reservation || ticket)) return result;
      // Another function reclaimed the reservation before this one read its own write: a provisional row may exist.
      if (answer.written) this.#lost += 1;
      round += 1;
    }
    return view.outcome(false);
  }

  /** All callers of a tenant share its credit: whoever is always too late there is refused by the state that others made. */
  async #outrun(view: View, reservation: Reservation | undefined): Promise<Attempted> {
    if (reservation && creditTokensOf(reservation) === 0) {
      throw new Refusal("store_unavailable", "Others are changing this, try again");
    }
    await view.look();
    return view.outcome(false);
  }

  #pauseAfterConflict(conflicts: number): Promise<void> {
    const { pause, jitter } = this.#deps;
    const longest = Math.min(conflictPauseMs * 2 ** (conflicts - 1), longestConflictPauseMs);
    // Between nothing and all of it: those who have met are not to meet again.
    return pause((jitter() - 0.5) * longest);
  }
}

/** The state as an attempt sees it: a guess at first, then what the store answered. */
class View {
  state: SpendingState;
  readonly #spending: AttemptDependencies["spending"];
  readonly #clock: () => number;
  readonly #asked: Asked;
  readonly #seen: Seen | undefined;
  #isKnown = false;

  constructor({ spending, clock }: AttemptDependencies, asked: Asked) {
    this.#spending = spending;
    this.#clock = clock;
    this.#asked = asked;
    this.#seen = spending.lastSeen(asked.key);
    const { spending: guessed = nothingSpent, credit } = this.#seen ?? {};
    this.state = { spending: guessed, ...(asked.onCredit && credit && { credit }) };
  }

  async look(): Promise<void> {
    const { key, onCredit } = this.#asked;
    this.state = await this.#spending.read(key, { onCredit });
    this.#isKnown = true;
  }

  meet({ spending, credit = this.state.credit }: Written): void {
    this.state = { spending, ...(credit && { credit }) };
    this.#isKnown = true;
  }

  outcome(written: boolean, held?: Decision): Attempted {
    return { ...this.state, written, reservation: this.#own(), ...(held && held.kind !== "admit" && { held }) };
  }

  /** The reservation or ticket that the request has, as far as the state is known. */
  #own(): Reservation | undefined {
    const { requestId } = this.#asked;
    return this.#isKnown && requestId ? reservationOf(this.state.spending, requestId) : undefined;
  }

  /**
   * Decides by the guess where that leads to a write of all that was asked for, and else by what is true.
   * @returns undefined if the request has what it can get already, or has lost its ticket
   */
  async decided(decide: (state: SpendingState) => Decision): Promise<Decision | undefined> {
    if (!this.#isKnown && mayBeGuessed(this.#asked, this.#seen, this.#clock())) {
      const decision = decide(this.state);
      const mayWrite = decision.kind === "admit" && !decision.isShortened;
      if (mayWrite || isLasting(decision, this.state)) return decision;
    }
    if (!this.#isKnown) await this.look();
    // An admission whose answer was lost may have taken effect, and a ticket may have been thought dead.
    const { ticket } = this.#asked;
    const reservation = this.#own();
    if (ticket ? !reservation || !isTicket(reservation) : reservation) return undefined;
    return decide(this.state);
  }
}

/** The write of what was decided by a state, with all that must still hold. */
export function writeOf(
  { key, ticket, limits, hasFreshLimits, isLimited }: Asked,
  reservation: Reservation | undefined,
  { spending, credit }: SpendingState,
  at: { nowMicros: number; slackMicros?: number },
): AdmissionWrite {
  const turn = ticket ? undefined : turnOf(spending, limits.rate, { isFresh: hasFreshLimits, ...at });
  const { amount } = reservation ?? { amount: 0 };
  const own = reservation && (ticket ? [isUnchanged(ticket)] : [isNew(reservation), hasPlace(limits)]);
  const tokens = reservation ? creditTokensOf(reservation) : 0;
  return {
    ...{ key, reservation, ticket, turn },
    guards: [
      ...(own ?? []),
      ...(turn?.guards ?? []),
      ...budgetGuards(limits, reservation ?? { amount }),
      ...(amount > 0 ? windowGuards(limits) : []),
      ...(isLimited ? sliceGuards(spending, amount) : []),
    ],
    creditGuards: reservation && tokens > 0 ? [isNew(reservation), ...creditGuards(credit?.granted ?? 0, tokens)] : [],
  };
}

/**
 * A ticket is filled, and a call that costs nothing passes a credit, only by what is true. A credit's grant is known from its row
 * alone, so the write's condition may not name it: a payment method, and a grant that is changed by hand, count once what was read is too old.
 */
function mayBeGuessed({ ticket, requestId, onCredit }: Asked, seen: Seen | undefined, now: number): boolean {
  if (ticket !== undefined) return false;
  if (!onCredit) return true;
  return requestId !== undefined && seen?.credit !== undefined && now < (seen.creditSeenAt ?? 0) + configurationTtlMs;
}

/** A spent credit does not come back, so that a caller who goes on asking costs the store nothing. */
function isLasting(decision: Decision, { credit }: SpendingState): boolean {
  return "isLasting" in decision && credit !== undefined && isCreditSpent(credit);
}
