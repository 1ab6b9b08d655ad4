// Steps 11 and 12 of a proxied call: what it can cost at most is reserved in one conditional write, or the call is refused. A
// call that does not fit only because of others waits, with a ticket that counts in flight.
import { maxAttempts } from "../kernel/optimistic.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { AdmissionContext, Admitted, Reserved } from "./admitted.ts";
import { roomOf } from "./allowance.ts";
import { type AllowanceDependencies, AllowanceDraw } from "./allowance-draw.ts";
import { type AttemptDependencies, type Attempted, Attempts, type Decision } from "./attempt.ts";
import { allHold, holds } from "./guard.ts";
import { LimitRefusal, rateRefusal, tooManyAtOnce } from "./limit-refusal.ts";
import { type AdmissionRequest, type Fitting, hasPlace, plannedReservation, planOf, planOfFreeCall } from "./plan.ts";
import { hasOtherRate, microsOf } from "./rate-limit.ts";
import type { Reclaim } from "./reclaim.ts";
import { firstVersion, isOver, isTicket, type Reservation } from "./reservation.ts";
import type { Settleable } from "./settlement.ts";
import type { Limits, Spending, SpendingState } from "./spending.ts";
import { Waiting, type WaitingDependencies } from "./waiting.ts";

export type BudgetDependencies = WaitingDependencies &
  AttemptDependencies &
  AllowanceDependencies & {
    reclaim: Pick<Reclaim, "spending" | "credit">;
    /** Settles an unused reservation at a cost of zero. Never rejects. */
    release: (settled: Settleable) => Promise<void>;
    /** Takes back an admission that may still take effect. Never rejects. */
    giveUp: (settled: Settleable) => Promise<void>;
  };

/** No reservation is made later than this after the admission began: an hour is closed by it (closing.ts). */
const admissionMs = 60_000;

/**
 * Reserves for a call, perhaps with a lower `max_tokens`, perhaps after a while (`reservation.bounds` says which). A call that
 * costs nothing has no request: it takes its turn in the rate limit. Nothing is left of a call that is refused but its turn in
 * the rate limit, and that only if it has waited.
 * @throws Refusal budget_exceeded, credit_exhausted, budget_reserved, concurrency_limited, rate_limited, store_unavailable
 */
export function admitToBudget(
  deps: BudgetDependencies,
  context: AdmissionContext,
  request: AdmissionRequest,
): Promise<Reserved>;
export function admitToBudget(
  deps: BudgetDependencies,
  context: AdmissionContext,
  request: AdmissionRequest | undefined,
): Promise<Admitted>;
export function admitToBudget(
  deps: BudgetDependencies,
  context: AdmissionContext,
  request: AdmissionRequest | undefined,
): Promise<Admitted> {
  return new BudgetAdmission(deps, context, request).run();
}

class BudgetAdmission {
  readonly #deps: BudgetDependencies;
  readonly #context: AdmissionContext;
  readonly #request: AdmissionRequest | undefined;
  readonly #attempts: Attempts;
  readonly #waiting: Waiting;
  readonly #allowance: AllowanceDraw;
  readonly #until: number;
  #limits: Limits;
  #hasFreshLimits = false;
  #reclaims = 0;
  #mayTakeTicket = false;
  #ticket: Reservation | undefined;
  #lostTicket = false;

  constructor(deps: BudgetDependencies, context: AdmissionContext, request: AdmissionRequest | undefined) {
    this.#deps = deps;
    this.#context = context;
    this.#request = request;
    this.#limits = context.limits;
    this.#until = deps.clock() + admissionMs;
    this.#attempts = new Attempts(deps);
    this.#waiting = new Waiting(deps, context.key.tenantId, request);
    this.#allowance = new AllowanceDraw(deps, context.allowance);
  }

  /** Admissions that may still take effect, though nobody waits for them. The next one has another version. */
  get #lost(): number {
    return this.#attempts.lost + (this.#lostTicket ? 1 : 0);
  }

  async run(): Promise<Admitted> {
    try {
      const outcome = await this.#admit().finally(() => this.#waiting.leave());
      return await this.#usable(outcome);
    } catch (error) {
      await this.#takeBack();
      throw error;
    }
  }

  /**
   * Repeats the attempt until the call is admitted or refused. An attempt itself repeats a write that others have outrun; it is repeated only
   * because something has changed: the limits were read again (once), dead calls were reclaimed and slices drawn (a few times), settlements
   * were awaited (three times), or a pause of the wait is over (45 s in all). That bounds the time.
   */
  async #admit(): Promise<Attempted> {
    for (;;) {
      const attempted = await this.#attempt();
      const { reservation } = attempted;
      if (this.#request ? reservation && !isTicket(reservation) : attempted.written) return attempted;
      if (this.#hasNewTicket(attempted)) await this.#waiting.pause();
      else await this.#overcome(attempted);
    }
  }

  #attempt(): Promise<Attempted> {
    const { key, onCredit, allowance } = this.#context;
    const asked = {
      ...{ key, onCredit, requestId: this.#request?.requestId, ticket: this.#ticket },
      ...{ limits: this.#limits, hasFreshLimits: this.#hasFreshLimits },
      ...{ isLimited: allowance !== undefined, until: this.#until },
    };
    return this.#attempts.run(asked, (state) => this.#decide(state));
  }

  /** Decides whether the call may be reserved in this state, or why not. */
  #decide(state: SpendingState): Decision {
    const { spending } = state;
    const asked = this.#request;
    // Calls that count by limits which were changed would undo what others count: the limits are read first.
    if (!this.#hasFreshLimits && hasOtherRate(this.#limits, spending) && spending.tat > microsOf(this.#deps.clock())) {
      return { kind: "refresh" };
    }
    const { resetsAt } = this.#context;
    const holdsTicket = this.#ticket !== undefined;
    const request = asked && this.#allowance.affordable(asked);
    const plan = request
      ? planOf(state, this.#limits, request, { resetsAt, holdsTicket })
      : planOfFreeCall(state, this.#limits, resetsAt);
    const isShortened = "maxTokens" in plan && asked !== undefined && plan.maxTokens < asked.maxTokens;
    if ((isShortened || !("maxTokens" in plan)) && this.#hasDead(state)) return { kind: "reclaim" };
    if ("maxTokens" in plan) {
      const tooFast = holdsTicket ? undefined : this.#tooFast(spending);
      if (tooFast) return { kind: "refuse", refusal: tooFast };
      const reservation = request && this.#reservation(request, plan);
      const { amount = 0 } = reservation ?? {};
      const hasSlices = allHold(this.#allowance.guards(amount, spending), spending);
      if (hasSlices) return { kind: "admit", isShortened, reservation };
      const need = amount - roomOf(spending);
      return (this.#allowance.isWaiting && this.#ticketFor(asked, spending)) || { kind: "draw", need };
    }
    if (plan.kind === "refuse") return plan;
    const ticket = this.#ticketFor(asked, spending);
    if (ticket) return ticket;
    return { ...plan, refusal: this.#limited(plan.refusal, spending) };
  }

  /** The ticket of a call that has a place in the waiting room and no ticket yet. */
  #ticketFor(request: AdmissionRequest | undefined, spending: Spending): Decision | undefined {
    if (!request || this.#ticket || !this.#mayTakeTicket || !this.#hasPlace(spending)) return undefined;
    return { kind: "admit", isShortened: false, reservation: this.#reservation(request, undefined) };
  }

  /** Keeps a ticket that the call has just got. @throws Refusal if the call has lost its ticket */
  #hasNewTicket({ reservation, spending }: Attempted): boolean {
    if (this.#ticket && !reservation) {
      // Another function took the ticket's lease for over, because this one stood still.
      this.#ticket = undefined;
      this.#lostTicket = true;
      throw this.#limited(tooManyAtOnce(), spending);
    }
    if (this.#ticket || !reservation) return false;
    this.#ticket = reservation;
    return true;
  }

  /** Removes or awaits what keeps the call from being admitted. @throws Refusal if nothing can be done about it */
  async #overcome(outcome: Attempted): Promise<void> {
    const { held, spending } = outcome;
    switch (held?.kind) {
      case "refresh":
        return this.#refreshLimits();
      case "reclaim":
        this.#reclaims += 1;
        return this.#reclaim(outcome);
      case "draw":
        return this.#draw(held.need, spending);
      case "wait":
        return this.#wait(held.refusal, spending);
      case "busy":
        if (await this.#waiting.awaitSettlement()) return;
        return this.#refuse(held.refusal);
      case "refuse":
        return this.#refuse(held.refusal);
      case undefined:
        // Other writers changed the item before each attempt.
        if (!this.#ticket || this.#waiting.isOver()) throw this.#limited(tooManyAtOnce(), spending);
        return this.#waiting.pause();
    }
  }

  /** Draws slices of the owner's allowance, or waits for calls in flight that hold the rest. */
  async #draw(need: number, spending: Spending): Promise<void> {
    const request = this.#request;
    if (!request) return;
    const refusal = await this.#allowance.draw({ key: this.#context.key, request, need, spending });
    if (refusal) await this.#wait(this.#limited(refusal, spending), spending);
  }

  /**
   * Carries out one step of the call's waiting: the call takes a place in its tenant's waiting room, then may write a ticket, then
   * pauses before the state is read again, longer each time.
   */
  async #wait(refusal: Refusal, spending: Spending): Promise<void> {
    // A call on free credit does not wait: the platform would pay for the waiting function.
    if (this.#context.onCredit) throw refusal;
    const mayWait = this.#ticket !== undefined || this.#hasPlace(spending);
    if (!mayWait || this.#waiting.isOver() || !(await this.#waiting.enter())) throw refusal;
    this.#mayTakeTicket = true;
    if (this.#ticket) await this.#waiting.pause();
  }

  /** Limits that were changed count at once: the refusal stands only if they are the same past every cache. */
  async #refuse(refusal: Refusal): Promise<void> {
    const known = this.#limits;
    if (this.#hasFreshLimits || refusal.code === "credit_exhausted") throw refusal;
    await this.#refreshLimits();
    if (JSON.stringify(this.#limits) === JSON.stringify(known)) throw refusal;
  }

  async #refreshLimits(): Promise<void> {
    this.#hasFreshLimits = true;
    this.#limits = await this.#context.freshLimits();
  }

  /** The call's reservation by this plan; its ticket without a plan. */
  #reservation(request: AdmissionRequest, plan: Fitting | undefined): Reservation {
    return plannedReservation(request, plan, {
      version: this.#ticket ? this.#ticket.version + 1 : firstVersion(this.#lost),
      now: this.#deps.clock(),
      windows: this.#limits.windows,
      ...this.#context,
    });
  }

  /** A call that waits is counted in flight and in the rate. */
  #hasPlace(spending: Spending): boolean {
    return holds(hasPlace(this.#limits), spending) && this.#tooFast(spending) === undefined;
  }

  #tooFast(spending: Spending): Refusal | undefined {
    const refusal = rateRefusal(this.#limits, spending, microsOf(this.#deps.clock()));
    return refusal && this.#limited(refusal, spending);
  }

  #limited(refusal: Refusal, spending: Spending): Refusal {
    return new LimitRefusal(refusal, { limits: this.#limits, spending, nowMicros: microsOf(this.#deps.clock()) });
  }

  /** Whether a dead call stands in the way that this admission may still try to reclaim. */
  #hasDead({ spending, credit }: SpendingState): boolean {
    if (this.#reclaims === maxAttempts) return false;
    const now = this.#deps.clock();
    return [...spending.reservations, ...(credit?.reservations ?? [])].some((one) => isOver(one, now));
  }

  /** Reclaims dead calls. The next admission, or the meter, repeats a reclaim that fails here. */
  async #reclaim({ spending, credit }: SpendingState): Promise<void> {
    const { reclaim } = this.#deps;
    const { key } = this.#context;
    await reclaim.spending(key, spending).catch(() => {});
    if (credit) await reclaim.credit(key, credit).catch(() => {});
  }

  async #usable(outcome: Attempted): Promise<Admitted> {
    const { spending, credit, reservation } = outcome;
    const { key } = this.#context;
    const answerLost = this.#lost > 0;
    const admitted = { key, limits: this.#limits, spending, credit, reservation, answerLost };
    if (!reservation) return admitted;
    // Dead calls are booked now, so that a caller who does not come back leaves none of them to the meter.
    await this.#reclaim(outcome);
    if (this.#deps.clock() <= reservation.leaseEndsAt) return admitted;
    await this.#deps.release({ key, reservation, answerLost });
    throw new Refusal("store_unavailable", "The admission took too long, try again");
  }

  async #takeBack(): Promise<void> {
    const { key } = this.#context;
    const answerLost = this.#lost > 0;
    if (this.#ticket) await this.#deps.release({ key, reservation: this.#ticket, answerLost });
    else if (this.#request && answerLost) {
      await this.#deps.giveUp({ key, reservation: this.#reservation(this.#request, undefined), answerLost });
    }
  }
}
