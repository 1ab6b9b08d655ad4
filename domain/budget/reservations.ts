// Steps 11 and 12 of a proxied call: what it can cost at most is reserved in one conditional write, or the call is refused.
import type { Admitted, Request, Reserved } from "./admitted.ts";
import { contended, LimitRefusal, rateRefusal } from "./limit-refusal.ts";
import { type Ask, creditSpent, isCreditSpent, isOverBudget, overBudget } from "./plan.ts";
import { microsOf } from "./rate-limit.ts";
import { Reserving, type ReservingDependencies } from "./reserving.ts";

/** Other requests of the same caller can change the state between two tries; after these many the caller is told to wait. */
const maxTries = 5;

export class Reservations {
  readonly #deps: ReservingDependencies;

  constructor(deps: ReservingDependencies) {
    this.#deps = deps;
  }

  /**
   * Reserves for a call, perhaps with a lower `max_tokens`, perhaps after a while (reservation.bounds says which). Nothing is
   * left of a call that is refused but its turn in the rate limit, and that only if it has waited.
   * @throws Refusal budget_exceeded, credit_exhausted, budget_reserved, concurrency_limited, rate_limited, store_unavailable
   */
  reserve(request: Request, ask: Ask): Promise<Reserved> {
    return new Reserving(this.#deps, request, ask).run();
  }

  /** Lets a call pass that costs nothing. @throws Refusal as `reserve` */
  async pass({ key, limits: known, freshLimits, onCredit, resetsAt }: Request): Promise<Admitted> {
    let limits = known;
    for (let tries = 1; ; tries++) {
      const nowMicros = microsOf(this.#deps.clock());
      const write = { key, limits, hasFreshLimits: tries > 1, onCredit, nowMicros };
      const { written, spending, credit } = await this.#deps.spending.pass(write);
      if (written) return { key, limits, spending, credit, reservation: undefined, answerLost: false };
      if (tries === 1) limits = await freshLimits();
      if (isOverBudget(spending, limits)) throw overBudget(resetsAt);
      if (credit && isCreditSpent(credit)) throw creditSpent();
      // Others may have gone on while the store took its time: what is true now decides.
      const state = { limits, spending, nowMicros: microsOf(this.#deps.clock()) };
      const refusal = rateRefusal(limits, spending, state.nowMicros);
      if (refusal) throw new LimitRefusal(refusal, state);
      if (tries === maxTries) throw new LimitRefusal(contended(), state);
    }
  }
}
