// What a caller's limits allow in a state of its spending and, if a call is refused, why. Budget goes before rate.
import { Refusal } from "../refusal.ts";
import { tolerance, waitFor } from "./rate-limit.ts";
import type { Credit, Limits, Spending } from "./spending.ts";

/** A refusal for what comes too fast or too much at once, with the state that decided it: clients are told their limits. */
export class LimitRefusal extends Refusal {
  readonly limits: Limits;
  readonly spending: Spending;
  readonly nowMicros: number;

  constructor(
    { code, message, retryAfterSeconds }: Refusal,
    state: Pick<LimitRefusal, "limits" | "spending" | "nowMicros">,
  ) {
    super(code, message, { retryAfterSeconds });
    this.limits = state.limits;
    this.spending = state.spending;
    this.nowMicros = state.nowMicros;
  }
}

/** What a request asks of the state; `credit` only for a tenant that spends its free credit. */
export type LimitCheck = {
  /** None for a call that reserves nothing: reservations and what is in flight do not stand in its way. */
  reservedCost: number | undefined;
  nowMicros: number;
  /** When the budget starts anew, in milliseconds. */
  resetsAt: number;
  credit: { state: Credit /** 0 for a call that reserves nothing. */; tokens: number } | undefined;
};

/** Someone who is refused only because of others in flight comes back after this. */
const busyRetrySeconds = 2;

/**
 * Why a request with this reserved cost is refused in this state; undefined if it is not. Budget goes before rate.
 * A caller with nothing else in flight is refused only when over (design, section 6, "What it means").
 */
export function limitRefusal(
  spending: Spending,
  limits: Limits,
  { reservedCost, nowMicros, resetsAt, credit }: LimitCheck,
): Refusal | undefined {
  const busy = { retryAfterSeconds: busyRetrySeconds };
  if (limits.cap !== undefined) {
    if (spending.spent >= limits.cap) return overBudget(resetsAt);
    if (reservedCost !== undefined && limits.enforcement === "reserved" && !fits(spending, limits.cap, reservedCost)) {
      return new Refusal("budget_reserved", "The rest of this month's budget is reserved by requests in flight.", busy);
    }
  }
  if (credit) {
    const { granted, spent, committed } = credit.state;
    if (spent >= granted) {
      // One for all callers of the tenant, and it does not come back.
      return new Refusal(
        "credit_exhausted",
        "The free credit is used up and does not come back: the workspace needs a payment method to go on.",
      );
    }
    if (credit.tokens > 0 && committed + credit.tokens > granted && committed !== spent) {
      return new Refusal("budget_reserved", "The rest of the free credit is reserved by requests in flight.", busy);
    }
  }
  if (reservedCost !== undefined && spending.inflight >= limits.maxInFlight) {
    const message = `${limits.maxInFlight} requests are in flight, which is the most.`;
    return new Refusal("concurrency_limited", message, busy);
  }
  if (spending.tat > nowMicros + tolerance(limits.rate)) {
    const seconds = Math.ceil(waitFor(limits.rate, spending.tat, nowMicros) / 1_000_000);
    // The header's limit is the burst, so both numbers are named.
    const { burst, perMinute } = limits.rate;
    const message = `The rate limit is a burst of ${burst}, refilled by ${perMinute} a minute.`;
    return new Refusal("rate_limited", message, {
      retryAfterSeconds: Math.min(60, Math.max(1, seconds)),
    });
  }
  return undefined;
}

function fits({ spent, committed }: Spending, cap: number, reservedCost: number): boolean {
  return committed + reservedCost <= cap || committed === spent;
}

/** Without a `retry-after`: clients sleep for as long as it says. */
function overBudget(resetsAt: number): Refusal {
  const reset = new Date(resetsAt).toISOString();
  return new Refusal("budget_exceeded", `The monthly budget is spent; it resets at ${reset}.`, { resetsAt });
}
