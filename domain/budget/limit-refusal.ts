// Refusals of calls that come too fast, or too many at once. They carry the state that decided, because the answer's headers tell
// clients their limits.
import { Refusal } from "../kernel/refusal.ts";
import { hasRoom, rateName, waitFor } from "./rate-limit.ts";
import type { Limits, Spending } from "./spending.ts";

/** The `retry-after` of a call that is refused only because of others in flight. */
export const busyRetrySeconds = 2;

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
  if (hasOtherRate(limits, spending) || hasRoom(rate, tat, nowMicros)) return undefined;
  const seconds = Math.ceil(waitFor(rate, tat, nowMicros) / 1_000_000);
  // The header's limit is the burst, so both numbers are named.
  const message = `The rate limit is a burst of ${rate.burst}, refilled by ${rate.perMinute} a minute.`;
  return new Refusal("rate_limited", message, { retryAfterSeconds: Math.min(60, Math.max(1, seconds)) });
}

/** The refusal of a call each of whose writes met a change by another call of its caller. */
export function contended(): Refusal {
  return new Refusal("rate_limited", "Too many requests of this caller at the same time.", { retryAfterSeconds: 1 });
}

/** Whether the state was counted by another rate limit: one of the two was changed since. */
export function hasOtherRate({ rate }: Pick<Limits, "rate">, { tatRate }: Pick<Spending, "tatRate">): boolean {
  return tatRate !== undefined && tatRate !== rateName(rate);
}
