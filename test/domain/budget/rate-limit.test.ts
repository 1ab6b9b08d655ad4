import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  interval,
  microsOf,
  type RateLimit,
  remaining,
  tolerance,
  waitFor,
} from "../../../domain/budget/rate-limit.ts";

const start = microsOf(Date.parse("2026-11-21T05:00:00Z"));

/** A bucket as the store keeps it. */
class Bucket {
  tat = 0;
  readonly limit: RateLimit;

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  take(now: number): boolean {
    if (this.tat > now + tolerance(this.limit)) return false;
    this.tat = Math.max(this.tat, now) + interval(this.limit);
    return true;
  }
}

const limits = fc.record({
  burst: fc.integer({ min: 1, max: 200 }),
  perMinute: fc.integer({ min: 1, max: 100_000 }),
});

test("a rate limit with a burst of n admits exactly n calls at once, then one for each interval", () => {
  fc.assert(
    fc.property(limits, (limit) => {
      const bucket = new Bucket(limit);
      const admitted = Array.from({ length: limit.burst + 5 }, () => bucket.take(start));
      expect(admitted.filter(Boolean)).toHaveLength(limit.burst);
      expect(bucket.take(start + interval(limit) - 1)).toBe(false);
      expect(bucket.take(start + interval(limit))).toBe(true);
      expect(bucket.take(start + interval(limit))).toBe(false);
    }),
  );
});

test("any span of time admits at most the burst plus the refill", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 3_000_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(limits, gaps, (limit, gaps) => {
      const bucket = new Bucket(limit);
      let now = start;
      const admitted: number[] = [];
      for (const gap of gaps) {
        now += gap;
        if (bucket.take(now)) admitted.push(now);
      }
      for (const [first, from] of admitted.entries()) {
        for (const [last, to] of admitted.entries()) {
          if (last < first) continue;
          const refill = Math.floor((to - from) / interval(limit));
          expect(last - first + 1).toBeLessThanOrEqual(limit.burst + refill);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test("a caller who asks without a pause gets the refill within 2 % over a minute", () => {
  for (const limit of [
    { burst: 1, perMinute: 7 },
    { burst: 10, perMinute: 600 },
    { burst: 60, perMinute: 100_000 },
  ]) {
    const bucket = new Bucket(limit);
    for (let calls = 0; calls < limit.burst; calls++) bucket.take(start);
    let admitted = 0;
    for (let now = start; now <= start + 60_000_000; now += 100) if (bucket.take(now)) admitted++;
    expect(Math.abs(admitted - limit.perMinute)).toBeLessThanOrEqual(Math.max(1, limit.perMinute * 0.02));
  }
});

describe("what is left", () => {
  test("the remaining rate limit is the number of calls that would be admitted now", () => {
    const taken = fc.integer({ min: 0, max: 200 });
    fc.assert(
      fc.property(limits, taken, fc.nat({ max: 10_000_000 }), (limit, taken, pause) => {
        const bucket = new Bucket(limit);
        for (let calls = 0; calls < taken; calls++) bucket.take(start);
        const now = start + pause;
        const left = remaining(limit, bucket.tat, now);
        let admitted = 0;
        while (bucket.take(now)) admitted++;
        expect(left).toBe(admitted);
      }),
    );
  });

  test("the remaining rate limit of a new caller is the burst, and it is never negative", () => {
    const limit = { burst: 3, perMinute: 60 };
    expect(remaining(limit, 0, start)).toBe(3);
    expect(remaining(limit, start + 1_000_000_000, start)).toBe(0);
  });
});

test("exactly after the named wait one more call is admitted", () => {
  fc.assert(
    fc.property(limits, (limit) => {
      const bucket = new Bucket(limit);
      while (bucket.take(start));
      const wait = waitFor(limit, bucket.tat, start);
      expect(wait).toBeGreaterThan(0);
      expect(bucket.take(start + wait - 1)).toBe(false);
      expect(bucket.take(start + wait)).toBe(true);
      expect(waitFor(limit, 0, start)).toBe(0);
    }),
  );
});

test("times of the rate limit stay exact whole numbers at the largest burst and the slowest refill", () => {
  const limit = { burst: 10_000, perMinute: 1 };
  const now = microsOf(Date.parse("2099-01-01T00:00:00Z") + 0.4);
  expect(Number.isSafeInteger(now + tolerance(limit) + interval(limit))).toBe(true);
});
