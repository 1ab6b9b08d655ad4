// The rate-limit token bucket, as GCRA: one number, the theoretical arrival time (`tat`), says how full the bucket is.
// All times are whole microseconds since the epoch.

export type RateLimit = {
  /** The bucket's size: a rested caller may make so many calls at once. */
  burst: number;
  /** The refill. */
  perMinute: number;
};

const microsPerMinute = 60_000_000;

export const microsOf = (milliseconds: number) => Math.round(milliseconds * 1000);

/** Microseconds between two calls at the refill rate, rounded up so that the rate is never exceeded. */
export function interval(limit: RateLimit): number {
  return Math.ceil(microsPerMinute / limit.perMinute);
}

/** The time by which `tat` may be later than now for a call to be admitted. */
export function tolerance(limit: RateLimit): number {
  return (limit.burst - 1) * interval(limit);
}

/** The limit's name, by which a state says which limit counted it. */
export function rateName({ burst, perMinute }: RateLimit): string {
  return `${burst}/${perMinute}`;
}

/** The clocks of two instances differ by less than this. */
const skewMicros = 2_000_000;

/**
 * A debt beyond this cannot come from this limit: it was made under another one, before a change. The next call cuts it to what
 * this limit can make (docs/decisions/0015).
 */
export function impossibleFrom(limit: RateLimit, now: number): number {
  return now + limit.burst * interval(limit) + skewMicros;
}

/** Whether one more call is admitted now. */
export function hasRoom(limit: RateLimit, tat: number, now: number): boolean {
  return tat <= now + tolerance(limit) || tat > impossibleFrom(limit, now);
}

/** The number of calls that would be admitted at once, between 0 and the burst. */
export function remaining(limit: RateLimit, tat: number, now: number): number {
  const room = now + tolerance(limit) - Math.max(tat, now);
  return Math.max(0, Math.min(limit.burst, Math.floor(room / interval(limit)) + 1));
}

/** Microseconds until one more call is admitted; 0 if it is now. */
export function waitFor(limit: RateLimit, tat: number, now: number): number {
  return Math.max(0, tat - tolerance(limit) - now);
}
