// The rate-limit token bucket, as GCRA: one number, the theoretical arrival time (`tat`), says how full the bucket is.
// All times are whole microseconds since the epoch.
import type { Guard } from "./guard.ts";

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

/** The number of calls that would be admitted at once, between 0 and the burst. */
export function remaining(limit: RateLimit, tat: number, now: number): number {
  const room = now + tolerance(limit) - Math.max(tat, now);
  return Math.max(0, Math.min(limit.burst, Math.floor(room / interval(limit)) + 1));
}

/** Microseconds until one more call is admitted; 0 if it is now. */
export function waitFor(limit: RateLimit, tat: number, now: number): number {
  return Math.max(0, tat - tolerance(limit) - now);
}

/** The state of a bucket: its `tat`, and the name of the limit that counted it last. */
type Bucket = { tat: number; tatRate?: string | undefined };

/** Whether the bucket was counted by another limit: one of the two was changed since. */
export function hasOtherRate({ rate }: { rate: RateLimit }, { tatRate }: Pick<Bucket, "tatRate">): boolean {
  return tatRate !== undefined && tatRate !== rateName(rate);
}

/** A call's turn in the rate limit: what must hold of the bucket, and how the call changes it. */
export type Turn = { form: TurnForm; guards: Guard[]; change: { add: number } | { set: number; rate: string } };

/**
 * The store's conditions know no arithmetic, so a turn has one of four forms, by the state in which the bucket is thought to be. `idle`: it is
 * full (`tat` is in the past). `busy`: it is in use. `impossible`: it is deeper in debt than this limit can make it, and the debt is cut to that.
 * `changed`: another limit counted it. For a minute after a change some functions know the old limit and some the new one; if each cut the
 * other's debt, nobody would be held back.
 */
export type TurnForm = "idle" | "busy" | "impossible" | "changed";

/**
 * @param at.isFresh the limit was read past every cache
 * @param at.slackMicros how far the form `idle` may reach into a bucket that is in use, all of which it takes; never beyond the bucket
 */
export function turnOf(
  { tat, tatRate }: Bucket,
  rate: RateLimit,
  { isFresh, nowMicros, slackMicros = 0 }: { isFresh: boolean; nowMicros: number; slackMicros?: number },
): Turn {
  const form = formOf();
  const [step, name] = [interval(rate), rateName(rate)];
  const inUse: Guard = { rule: "busy", figure: "tat", is: ">", bound: nowMicros };
  const isSame: Guard = { rule: "rate", label: "tatRate", is: "none or same", as: name };
  switch (form) {
    case "idle": {
      const latest = nowMicros + Math.min(tolerance(rate), slackMicros);
      return {
        form,
        guards: [{ rule: "idle", figure: "tat", is: "<=", bound: latest }],
        change: { set: latest + step, rate: name },
      };
    }
    case "busy":
      return {
        form,
        guards: [inUse, { rule: "burst", figure: "tat", is: "<=", bound: nowMicros + tolerance(rate) }, isSame],
        change: { add: step },
      };
    case "impossible":
      return {
        form,
        guards: [{ ...inUse, bound: impossibleFrom(rate, nowMicros) }, isSame],
        change: { set: nowMicros + tolerance(rate) + step, rate: name },
      };
    case "changed":
      // The debt is kept, as far as this limit can make it.
      return {
        form,
        guards: [inUse, { rule: "rate", label: "tatRate", is: "other", as: name }],
        change: { set: Math.min(tat, nowMicros + tolerance(rate)) + step, rate: name },
      };
  }

  function formOf(): TurnForm {
    if (tat <= nowMicros) return "idle";
    if (isFresh && hasOtherRate({ rate }, { tatRate })) return "changed";
    return tat > impossibleFrom(rate, nowMicros) ? "impossible" : "busy";
  }
}
