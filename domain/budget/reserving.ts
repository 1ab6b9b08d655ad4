// One call's way to its reservation: guessed by the last state seen, told by the store what is true, tried again. A call that
// does not fit only because of others waits for its turn, with a ticket that counts in flight.
import { Refusal } from "../kernel/refusal.ts";
import { freeCreditTokens } from "../workspace/tenant.ts";
import type { Request, Reserved } from "./admitted.ts";
import { CurrentLimits } from "./current-limits.ts";
import { contended, hasOtherRate, LimitRefusal, rateRefusal } from "./limit-refusal.ts";
import { type Ask, isCreditSpent, isFull, type Plan, planOf } from "./plan.ts";
import { microsOf } from "./rate-limit.ts";
import type { Reclaim } from "./reclaim.ts";
import { firstVersion, isTicket, leaseMs, type Reservation } from "./reservation.ts";
import type { Settleable } from "./settlement.ts";
import { nothingSpent, reservationOf, type SpendingState, type SpendingStore, type Written } from "./spending.ts";
import { Turn, type TurnDependencies } from "./turn.ts";

export type ReservingDependencies = TurnDependencies & {
  spending: SpendingStore;
  reclaim: Pick<Reclaim, "spending" | "credit">;
  /** Settles at nothing what was reserved and is not used. Never rejects. */
  release: (settled: Settleable) => Promise<void>;
  /** Takes back an admission that may still take effect. Never rejects. */
  giveUp: (settled: Settleable) => Promise<void>;
};

/** No admission is written later than this after the first: an hour is closed by it (closing.ts). */
export const admissionMs = 60_000;
const maxAttempts = 12;
const maxUnanswered = 3;
/** A payment method counts after a minute at the latest (specification, "Limits"). */
const rememberedMs = 60_000;

type Own = { reservation: Reservation; state: SpendingState };

export class Reserving {
  readonly #deps: ReservingDependencies;
  readonly #request: Request;
  readonly #ask: Ask;
  readonly #began: number;
  readonly #turn: Turn;
  readonly #limits: CurrentLimits;
  #attempts = 0;
  #unanswered = 0;
  #ticket: Reservation | undefined;

  constructor(deps: ReservingDependencies, request: Request, ask: Ask) {
    this.#deps = deps;
    this.#request = request;
    this.#ask = ask;
    this.#limits = new CurrentLimits(request.limits, request.freshLimits);
    this.#began = deps.clock();
    this.#turn = new Turn(deps, request.key.tenantId, ask.requestId);
  }

  /** @throws Refusal */
  async run(): Promise<Reserved> {
    try {
      const own = await this.#admit();
      await this.#turn.leave();
      return await this.#usable(own);
    } catch (error) {
      await this.#turn.leave();
      await this.#takeBack();
      throw error;
    }
  }

  async #admit(): Promise<Own> {
    let state = this.#guess();
    let isKnown = false;
    for (;;) {
      // Who counts by limits that were changed would undo what the others count: they are read before anything else.
      if (isKnown && !this.#limits.isFresh && hasOtherRate(this.#limits.value, state.spending))
        await this.#limits.refresh();
      const plan = this.#planOf(state);
      if (!isKnown && !this.#isInFull(plan)) {
        if ("refusal" in plan && this.#isLastingly(plan.refusal)) throw plan.refusal;
        state = await this.#look();
        isKnown = true;
      } else if ("maxTokens" in plan) {
        const tooFast = isKnown && !this.#ticket ? this.#tooFast(state) : undefined;
        if (tooFast) {
          await this.#limits.refuse(tooFast);
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
    if (plan.kind === "refuse") await this.#limits.refuse(plan.refusal);
    else if (!(await this.#turn.awaitSettlements())) await this.#limits.refuse(this.#limited(plan.refusal, state));
    return undefined;
  }

  /** The ticket comes first. Then the state is looked at, at longer and longer intervals. */
  async #wait(refusal: Refusal, state: SpendingState): Promise<Own | undefined> {
    const mayWait = this.#ticket !== undefined || this.#mayTakeTicket(state);
    if (!mayWait || this.#turn.isOver() || !(await this.#turn.enter())) throw this.#limited(refusal, state);
    if (!this.#ticket) {
      const written = await this.#reserve(this.#ticketOf());
      const own = written && this.#ownIn(written);
      if (own && !isTicket(own.reservation)) return own;
      this.#ticket = own?.reservation;
    }
    await this.#turn.pause();
    return undefined;
  }

  /** One attempt. Undefined if nobody knows whether it took effect: the next attempt finds out. @throws Refusal */
  async #reserve(reservation: Reservation): Promise<Written | undefined> {
    const { spending, clock } = this.#deps;
    const { key } = this.#request;
    const isLate = this.#attempts > 0 && clock() > this.#began + admissionMs;
    if (isLate || this.#attempts === maxAttempts) throw contended();
    this.#attempts++;
    try {
      const nowMicros = microsOf(clock());
      const limits = { limits: this.#limits.value, hasFreshLimits: this.#limits.isFresh };
      const written = await spending.admit({ key, ...limits, reservation, nowMicros });
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
    const { spending } = this.#deps;
    const { amount, overdraft, bounds, leaseEndsAt } = this.#wanted(plan);
    const to = { ...ticket, amount, overdraft, bounds, leaseEndsAt, version: ticket.version + 1 };
    const filled = await spending.fill({ key: this.#request.key, limits: this.#limits.value, from: ticket, to });
    const own = this.#ownIn(filled);
    if (!own) {
      // The lease was thought over: this function stood still.
      this.#ticket = undefined;
      this.#unanswered++;
      throw this.#limited(contended(), filled);
    }
    if (!isTicket(own.reservation)) return filled;
    if (this.#turn.isOver()) throw this.#limited(contended(), filled);
    await this.#turn.pauseShortly();
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
      leaseEndsAt: this.#deps.clock() + leaseMs,
      overdraft: false,
      admittedAt: this.#request.admittedAt,
      bounds: boundsAt(maxTokens),
      onCredit: this.#request.onCredit,
    };
  }

  #planOf(state: SpendingState): Plan {
    const { resetsAt } = this.#request;
    return planOf(state, this.#limits.value, this.#ask, { resetsAt, holdsTicket: this.#ticket !== undefined });
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
    return this.#deps.clock() < (seen.creditSeenAt ?? 0) + rememberedMs;
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

  /** Who waits is counted in flight and in the rate. */
  #mayTakeTicket(state: SpendingState): boolean {
    return !isFull(state.spending, this.#limits.value) && this.#tooFast(state) === undefined;
  }

  #tooFast(state: SpendingState): Refusal | undefined {
    const refusal = rateRefusal(this.#limits.value, state.spending, microsOf(this.#deps.clock()));
    return refusal && this.#limited(refusal, state);
  }

  #limited(refusal: Refusal, { spending }: SpendingState): Refusal {
    return new LimitRefusal(refusal, { limits: this.#limits.value, spending, nowMicros: microsOf(this.#deps.clock()) });
  }

  async #usable({ reservation, state }: Own): Promise<Reserved> {
    const { key } = this.#request;
    const { spending, credit } = state;
    const answerLost = this.#unanswered > 0;
    const admitted = { key, limits: this.#limits.value, spending, credit, reservation, answerLost };
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
}
