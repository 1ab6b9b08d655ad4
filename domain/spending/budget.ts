// Budgets and reservations of one caller in one month. The store changes the state in one conditional write; this file says
// what the state allows and, when a write was refused, why.

import type { TokenBounds } from "../messages/usage.ts";
import { Refusal } from "../refusal.ts";
import { type RateLimit, tolerance, waitFor } from "./rate-limit.ts";

/** Money is integer nano-USD. */
export type Spending = {
  /** Settled. */
  spent: number;
  /** Settled and reserved. */
  committed: number;
  /** Requests admitted and not settled. */
  inflight: number;
  /** The rate limit's state, in microseconds (see rate-limit.ts). */
  tat: number;
  reservations: Reservation[];
};

export type Reservation = {
  requestId: string;
  /** An upper bound of the request's cost. */
  reservedCost: number;
  /** Milliseconds since the epoch; the ledger row goes to this time's hour. */
  admittedAt: number;
  /** Milliseconds; from then on the function that made it cannot be running any more. */
  expiresAt: number;
  model: string;
  profile: string;
  region: string;
  /** Upper bounds of its tokens. */
  bounds: TokenBounds;
  /** The bounds together, if they come out of the tenant's free credit. */
  creditTokens?: number | undefined;
};

/** A tenant's free credit, in tokens of all kinds alike. */
export type Credit = { granted: number; spent: number; committed: number };

export type Limits = {
  /** The month's budget; none for an owner without a grant. */
  cap: number | undefined;
  /** `reserved` counts what others in flight may cost; `spent` is the plain check. */
  enforcement: "reserved" | "spent";
  maxInFlight: number;
  rate: RateLimit;
};

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
  credit: { state: Credit; tokens: number } | undefined;
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
    if (spending.spent >= limits.cap) return overBudget(nowMicros / 1000, resetsAt);
    if (reservedCost !== undefined && limits.enforcement === "reserved" && !fits(spending, limits.cap, reservedCost)) {
      return new Refusal("budget_reserved", "The rest of this month's budget is reserved by requests in flight.", busy);
    }
  }
  if (credit) {
    const { granted, spent, committed } = credit.state;
    if (spent >= granted) {
      // One for all callers of the tenant, and it does not come back.
      return new Refusal("credit_exhausted", "The free credit is used up: add a payment method to go on.");
    }
    if (committed + credit.tokens > granted && committed !== spent) {
      return new Refusal("budget_reserved", "The rest of the free credit is reserved by requests in flight.", busy);
    }
  }
  if (reservedCost !== undefined && spending.inflight >= limits.maxInFlight) {
    const message = `${limits.maxInFlight} requests are in flight, which is the most.`;
    return new Refusal("concurrency_limited", message, busy);
  }
  if (spending.tat > nowMicros + tolerance(limits.rate)) {
    const seconds = Math.ceil(waitFor(limits.rate, spending.tat, nowMicros) / 1_000_000);
    return new Refusal("rate_limited", `The rate limit is ${limits.rate.perMinute} requests a minute.`, {
      retryAfterSeconds: Math.min(60, Math.max(1, seconds)),
    });
  }
  return undefined;
}

function fits({ spent, committed }: Spending, cap: number, reservedCost: number): boolean {
  return committed + reservedCost <= cap || committed === spent;
}

function overBudget(now: number, resetsAt: number): Refusal {
  const reset = new Date(resetsAt).toISOString();
  return new Refusal("budget_exceeded", `The monthly budget is spent; it resets at ${reset}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetsAt - now) / 1000)),
  });
}
