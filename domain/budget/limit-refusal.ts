// Refusals of calls by their limits: budget, free credit, rate and calls in flight.
import { Refusal } from "../kernel/refusal.ts";
import { allHold } from "./guard.ts";
import { turnOf, waitFor } from "./rate-limit.ts";
import type { Credit, Limits, Spending, Window } from "./spending.ts";

/** The refusal of a call that comes too fast, or with too many others. It carries the state that decided, because the answer's headers tell clients their limits. */
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

/** Why a call must wait for the rate limit; undefined if it need not. A change of the limit lets the next call pass. */
export function rateRefusal(limits: Limits, spending: Spending, nowMicros: number): Refusal | undefined {
  const { rate } = limits;
  const { tat } = spending;
  if (allHold(turnOf(spending, rate, { isFresh: true, nowMicros }).guards, spending)) return undefined;
  const seconds = Math.ceil(waitFor(rate, tat, nowMicros) / 1_000_000);
  // The header's limit is the burst, so both numbers are named.
  const message = `The rate limit is a burst of ${rate.burst}, refilled by ${rate.perMinute} a minute.`;
  return new Refusal("rate_limited", message, { retryAfterSeconds: Math.min(60, Math.max(1, seconds)) });
}

/** The refusal of a call each of whose writes met a change by another call of its caller. */
export function tooManyAtOnce(): Refusal {
  return new Refusal("rate_limited", "Too many requests of this caller at the same time.");
}

/** The refusal of a call that is too large for what is left of the free credit. By the bytes of a prompt it may be too large, and by its tokens not. */
export class TooLittleCredit extends Refusal {
  readonly granted: number;

  constructor(
    { granted, spent }: Pick<Credit, "granted" | "spent">,
    { input, shortest, counted }: { input: number; shortest: number; counted: number | undefined },
  ) {
    const left = `${granted - spent} of ${granted} tokens of the free credit are left`;
    const asked =
      counted === undefined
        ? `this request can use ${input + shortest}, by the size of its body`
        : `this request can use ${counted + shortest}: ${counted} for its prompt, as count_tokens tells, and ${shortest} for an answer`;
    super(
      "credit_exhausted",
      `Too little free credit: ${left}, and ${asked}. A payment method ends this limit within a minute.`,
    );
    this.granted = granted;
  }
}

/** The refusal has no `retry-after`, because clients would sleep until the end of the month. */
export function overBudget(resetsAt: number): Refusal {
  const reset = new Date(resetsAt).toISOString();
  const message = `The monthly budget is spent. The workspace's owner can raise it; it resets at ${reset}.`;
  return new Refusal("budget_exceeded", message, { resetsAt });
}

/** The refusal has no `retry-after`, as the one for the month. */
export function windowSpent({ title, resetsAt }: Pick<Window, "title" | "resetsAt">): Refusal {
  const message = `The rest of ${title} is spent. The workspace's owner can raise it; it resets at ${new Date(resetsAt).toISOString()}.`;
  return new Refusal("budget_exceeded", message, { resetsAt });
}

/** All callers of a tenant share one credit, which does not come back. A workspace gets it later where the platform has given all of a day's. */
export function creditSpent({ granted }: Pick<Credit, "granted">): Refusal {
  if (granted === 0)
    return new Refusal(
      "credit_exhausted",
      "The workspace has no free credit yet: the platform gives only so much on a day (UTC). It comes by itself, tomorrow as a rule; with a payment method the workspace goes on within a minute.",
    );
  return new Refusal(
    "credit_exhausted",
    "The free credit is used up and does not come back: the workspace goes on within a minute once its owner has added a payment method (the platform's operator may lift this by archway:enforceFreeCredit).",
  );
}

export function reservedByOthers(what: string): Refusal {
  const message = `The rest of ${what} is reserved by requests in flight.`;
  return new Refusal("budget_reserved", message);
}

export function tooManyInFlight({ maxInFlight }: Limits): Refusal {
  const message = `${maxInFlight} requests are in flight, which is the most.`;
  return new Refusal("concurrency_limited", message);
}
