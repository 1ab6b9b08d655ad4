// One call's way to its reservation: guessed by the last state seen, told by the store what is true, tried again. A call that
// does not fit only because of others waits for its turn, with a ticket that counts in flight.
import { Refusal } from "../refusal.ts";
import { freeCreditTokens } from "../tenancy/tenant.ts";
import type { Request, Reserved } from "./admitted.ts";
import { contended, LimitRefusal, rateRefusal } from "./limit-refusal.ts";
import { type Ask, isCreditSpent, isFull, type Plan, planOf } from "./plan.ts";
import { microsOf } from "./rate-limit.ts";
import type { Reclaim } from "./reclaim.ts";
import { firstVersion, isTicket, leaseMilliseconds, type Reservation } from "./reservation.ts";
import type { Settleable } from "./settlement.ts";
import { nothingSpent, reservationOf, type SpendingState, type SpendingStore, type Written } from "./spending.ts";
import type { WaitingRoom } from "./waiting-room.ts";

export type ReservingDependencies = {
  spending: SpendingStore;
  reclaim: Pick<Reclaim, "spending" | "credit">;
  waitingRoom: WaitingRoom;
  /** Settles at nothing what was reserved and is not used. Never rejects. */
  release: (settled: Settleable) => Promise<void>;
  /** Takes back an admission that may still take effect. Never rejects. */
  giveUp: (settled: Settleable) => Promise<void>;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
  /** From 0.5 to 1.5: those who wait do not come back together. */
  jitter: () => number;
};

/** Longer than nine of ten answers take; CloudFront cuts at 120 s (reference, budgets, 5). */
export const waitMilliseconds = 45_000;
/** No admission is written later than this after the first: an hour is closed by it (closing.ts). */
export const admissionMilliseconds = 60_000;
const maxAttempts = 12;
const maxUnanswered = 3;
/** A payment method counts after a minute at the latest (specification, "Limits"). */
const rememberedMilliseconds = 60_000;
const firstPause = 50;
const longestPause = 1_000;
/**
 * A call is settled after its last byte, by two writes to the store. A caller who asks again at that very moment waits for
 * them, this long each time, instead of being refused for a call that has ended (docs/decisions/0007).
 */
const settlementPauses = [20, 80, 250];

type Own = { reservation: Reservation; state: SpendingState };

export class Reserving {
  readonly #deps: ReservingDependencies;
  readonly #request: Request;
  readonly #ask: Ask;
  readonly #began: number;
  #limits: Request["limits"];
  #hasFreshLimits = false;
  #attempts = 0;
  #unanswered = 0;
  #ticket: Reservation | undefined;
  #isInRoom = false;
  #pause = firstPause;
  #settlementPauses = [...settlementPauses];

  constructor(deps: ReservingDependencies, request: Request, ask: Ask) {
    this.#deps = deps;
    this.#request = request;
    this.#ask = ask;
    this.#limits = request.limits;
    this.#began = deps.clock();
  }

  /** @throws Refusal */
  async run(): Promise<Reserved> {
    try {
      const own = await this.#admit();
      await this.#leaveRoom();
      return await this.#usable(own);
    } catch (error) {
      await this.#leaveRoom();
      await this.#takeBack();
      throw error;
    }
  }

  async #admit(): Promise<Own> {
    let state = this.#guess();
    let isKnown = false;
    for (;;) {
      const plan = this.#planOf(state);
      if (!isKnown && !this.#isInFull(plan)) {
        if ("refusal" in plan && this.#isLastingly(plan.refusal)) throw plan.refusal;
        state = await this.#look();
        isKnown = true;
      } else if ("maxTokens" in plan) {
        const tooFast = isKnown && !this.#ticket ? this.#tooFast(state) : undefined;
        if (tooFast) {
          await this.#refuse(tooFast);
          continue;
        }
        const written = await (this.#ticket ? this.#fill(plan, this.#ticket) : this.#reserve(this.#wanted(plan)));
        const own = written && this.#ownIn(written);
        if (own && !isTicket(own.reservation)) return own;
        if (!written) continue;
        state = await this.#afterReclaim(written);
        isKnown = true;
      } else {
        const own = await this.#hold(plan, state);
        if (own) return own;
        state = await this.#look();
      }
    }
  }

  /** Only such a plan is tried on a guess: nobody's answer is shortened for what others have long settled. */
  #isInFull(plan: Plan): boolean {
    return "maxTokens" in plan && plan.maxTokens === this.#ask.maxTokens;
  }

  /** What may be done about a plan that admits nothing now. @throws Refusal */
  async #hold(plan: Exclude<Plan, { maxTokens: number }>, state: SpendingState): Promise<Own | undefined> {
    if (plan.kind === "wait") return this.#wait(plan.refusal, state);
    const milliseconds = plan.kind === "busy" ? this.#settlementPauses.shift() : undefined;
    if (milliseconds !== undefined) await this.#deps.pause(milliseconds);
    else await this.#refuse(plan.kind === "busy" ? this.#limited(plan.refusal, state) : plan.refusal);
    return undefined;
  }

  /** The ticket comes first. Then the state is looked at, at longer and longer intervals. */
  async #wait(refusal: Refusal, state: SpendingState): Promise<Own | undefined> {
    const { clock, pause, jitter, waitingRoom } = this.#deps;
    const mayWait = this.#ticket !== undefined || this.#mayTakeTicket(state);
    if (!mayWait || clock() > this.#began + waitMilliseconds) throw this.#limited(refusal, state);
    if (!this.#isInRoom) {
      const until = this.#began + waitMilliseconds + leaseMilliseconds;
      this.#isInRoom = await waitingRoom.enter(this.#ask.requestId, until).catch(() => false);
      if (!this.#isInRoom) throw this.#limited(refusal, state);
    }
    if (!this.#ticket) {
      const written = await this.#reserve(this.#ticketOf());
      const own = written && this.#ownIn(written);
      if (own && !isTicket(own.reservation)) return own;
      this.#ticket = own?.reservation;
    }
    await pause(this.#pause * jitter());
    this.#pause = Math.min(longestPause, this.#pause * 2);
    return undefined;
  }

  /** One attempt. Undefined if nobody knows whether it took effect: the next attempt finds out. @throws Refusal */
  async #reserve(reservation: Reservation): Promise<Written | undefined> {
    const { spending, clock } = this.#deps;
    const { key } = this.#request;
    const isLate = this.#attempts > 0 && clock() > this.#began + admissionMilliseconds;
    if (isLate || this.#attempts === maxAttempts) throw contended();
    this.#attempts++;
    try {
      const nowMicros = microsOf(clock());
      const written = await spending.admit({ key, limits: this.#limits, reservation, nowMicros });
      // The lease was thought over before the state was read: this function stood still, and a provisional row may stand.
      if (written.written && !this.#ownIn(written)) this.#unanswered++;
      return written;
    } catch (error) {
      this.#unanswered++;
      if (!(error instanceof Refusal) || this.#unanswered === maxUnanswered) throw error;
      return undefined;
    }
  }

  async #fill(plan: Extract<Plan, { maxTokens: number }>, ticket: Reservation): Promise<Written> {
    const { spending, pause, jitter, clock } = this.#deps;
    const { amount, overdraft, bounds, leaseEndsAt } = this.#wanted(plan);
    const to = { ...ticket, amount, overdraft, bounds, leaseEndsAt, version: ticket.version + 1 };
    const filled = await spending.fill({ key: this.#request.key, limits: this.#limits, from: ticket, to });
    const own = this.#ownIn(filled);
    if (!own) {
      // The lease was thought over: this function stood still.
      this.#ticket = undefined;
      this.#unanswered++;
      throw this.#limited(contended(), filled);
    }
    if (!isTicket(own.reservation)) return filled;
    if (clock() > this.#began + waitMilliseconds) throw this.#limited(contended(), filled);
    await pause(firstPause * jitter());
    return filled;
  }

  #wanted({ kind, maxTokens }: Extract<Plan, { maxTokens: number }>): Reservation {
    return {
      ...this.#ticketOf(),
      // Nothing is a ticket.
      amount: Math.max(1, this.#ask.costAt(maxTokens)),
      bounds: this.#ask.boundsAt(maxTokens),
      overdraft: kind === "overdraw",
    };
  }

  #ticketOf(): Reservation {
    const { requestId, profile, region, boundsAt, maxTokens } = this.#ask;
    return {
      ...{ requestId, profile, region },
      amount: 0,
      version: firstVersion(this.#attempts),
      leaseEndsAt: this.#deps.clock() + leaseMilliseconds,
      overdraft: false,
      admittedAt: this.#request.admittedAt,
      bounds: boundsAt(maxTokens),
      onCredit: this.#request.onCredit,
    };
  }

  #planOf(state: SpendingState): Plan {
    const { resetsAt } = this.#request;
    return planOf(state, this.#limits, this.#ask, { resetsAt, holdsTicket: this.#ticket !== undefined });
  }

  #guess(): SpendingState {
    const { key, onCredit } = this.#request;
    const untouched = { granted: freeCreditTokens, spent: 0, committed: 0, reservations: [] };
    const seen = this.#deps.spending.lastSeen(key);
    const { spending = nothingSpent, credit = untouched } = seen ?? {};
    return { spending, ...(onCredit && { credit }) };
  }

  /** A spent credit does not come back, so that one who goes on asking costs the store nothing. */
  #isLastingly({ code }: Refusal): boolean {
    const seen = this.#deps.spending.lastSeen(this.#request.key);
    if (code !== "credit_exhausted" || !seen?.credit || !isCreditSpent(seen.credit)) return false;
    return this.#deps.clock() < (seen.creditSeenAt ?? 0) + rememberedMilliseconds;
  }

  /** What is true now. A ticket that is gone, or filled by a write whose answer was lost, shows here. */
  async #look(): Promise<SpendingState> {
    return this.#afterReclaim(await this.#read());
  }

  #read(): Promise<SpendingState> {
    const { key, onCredit } = this.#request;
    return this.#deps.spending.read(key, { onCredit });
  }

  async #afterReclaim(state: SpendingState): Promise<SpendingState> {
    return (await this.#reclaim(state)) ? this.#read() : state;
  }

  /** What cannot be reclaimed now is the next admission's, or the meter's. @returns whether the state is another now */
  async #reclaim({ spending, credit }: SpendingState): Promise<boolean> {
    const { reclaim } = this.#deps;
    const { key } = this.#request;
    const inBudget = await reclaim.spending(key, spending).catch(() => ({ changed: false }));
    const inCredit = credit ? await reclaim.credit(key, credit).catch(() => false) : false;
    return inBudget.changed || inCredit;
  }

  #ownIn(state: SpendingState): Own | undefined {
    const reservation = reservationOf(state.spending, this.#ask.requestId);
    return reservation && { reservation, state };
  }

  /** Limits that were changed count at once: before a call is refused, they are read past every cache, once. */
  async #refuse(refusal: Refusal): Promise<void> {
    if (this.#hasFreshLimits) throw refusal;
    this.#hasFreshLimits = true;
    const known = this.#limits;
    this.#limits = await this.#request.freshLimits();
    if (JSON.stringify(this.#limits) === JSON.stringify(known)) throw refusal;
  }

  /** Who waits is counted in flight and in the rate. */
  #mayTakeTicket(state: SpendingState): boolean {
    return !isFull(state.spending, this.#limits) && this.#tooFast(state) === undefined;
  }

  #tooFast(state: SpendingState): Refusal | undefined {
    const refusal = rateRefusal(this.#limits, state.spending, microsOf(this.#deps.clock()));
    return refusal && this.#limited(refusal, state);
  }

  #limited(refusal: Refusal, { spending }: SpendingState): Refusal {
    return new LimitRefusal(refusal, { limits: this.#limits, spending, nowMicros: microsOf(this.#deps.clock()) });
  }

  async #usable({ reservation, state }: Own): Promise<Reserved> {
    const { key } = this.#request;
    const { spending, credit } = state;
    const answerLost = this.#unanswered > 0;
    const admitted = { key, limits: this.#limits, spending, credit, reservation, answerLost };
    // Dead calls are booked now, so that a caller who does not come back leaves none of them to the meter.
    await this.#reclaim(state);
    if (this.#deps.clock() <= reservation.leaseEndsAt) return admitted;
    await this.#deps.release({ key, reservation, answerLost });
    throw new Refusal("store_unavailable", "The admission took too long, try again", { retryAfterSeconds: 1 });
  }

  async #takeBack(): Promise<void> {
    const { key } = this.#request;
    const answerLost = this.#unanswered > 0;
    if (this.#ticket) await this.#deps.release({ key, reservation: this.#ticket, answerLost });
    else if (answerLost) await this.#deps.giveUp({ key, reservation: this.#ticketOf(), answerLost });
  }

  /** A place that is not given back is free again at its time. */
  async #leaveRoom(): Promise<void> {
    if (!this.#isInRoom) return;
    this.#isInRoom = false;
    await this.#deps.waitingRoom.leave(this.#ask.requestId).catch(() => {});
  }
}
