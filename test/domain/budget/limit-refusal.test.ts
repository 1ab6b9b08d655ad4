import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LimitRefusal, rateRefusal } from "../../../domain/budget/limit-refusal.ts";
import { impossibleFrom, microsOf, type RateLimit, tolerance } from "../../../domain/budget/rate-limit.ts";
import { nothingSpent } from "../../../domain/budget/spending.ts";

const now = microsOf(Date.parse("2026-11-21T05:00:00Z"));

function refusalAt(rate: RateLimit, tat: number) {
  return rateRefusal({ cap: 1, enforcement: "reserved", maxInFlight: 1, rate }, { ...nothingSpent, tat }, now);
}

test("a call is admitted exactly as long as the rate limit has room, and refused one microsecond later", () => {
  const rate = { burst: 3, perMinute: 60 };
  expect(refusalAt(rate, now + tolerance(rate))).toBeUndefined();
  expect(refusalAt(rate, now + tolerance(rate) + 1)?.code).toBe("rate_limited");
});

test("the refusal by the rate limit names the burst, which is the limit in the header, and the refill", () => {
  const rate = { burst: 20, perMinute: 7 };
  expect(refusalAt(rate, now + tolerance(rate) + 1)?.message).toBe(
    "The rate limit is a burst of 20, refilled by 7 a minute.",
  );
});

test("the refusal of an admission by the rate limit keeps the time after which to retry", () => {
  const rate = { burst: 3, perMinute: 60 };
  const refusal = refusalAt(rate, now + tolerance(rate) + 2_000_001);
  const limits = { cap: 1, enforcement: "reserved", maxInFlight: 1, rate } as const;
  const limited = refusal && new LimitRefusal(refusal, { limits, spending: nothingSpent, nowMicros: now });
  expect([refusal?.retryAfterSeconds, limited?.retryAfterSeconds]).toEqual([3, 3]);
});

test("a debt that the rate limit cannot have caused refuses no call", () => {
  const rate = { burst: 3, perMinute: 60 };
  expect(refusalAt(rate, impossibleFrom(rate, now))?.code).toBe("rate_limited");
  expect(refusalAt(rate, impossibleFrom(rate, now) + 1)).toBeUndefined();
});

test("a caller who is too fast is told a sufficient waiting time, between 1 and 60 seconds", () => {
  const rates = fc.record({ burst: fc.integer({ min: 1, max: 50 }), perMinute: fc.integer({ min: 1, max: 6_000 }) });
  fc.assert(
    fc.property(rates, fc.double({ min: 0, max: 1, noNaN: true }), (rate, share) => {
      const first = now + tolerance(rate) + 1;
      const tat = first + Math.floor(share * (impossibleFrom(rate, now) - first));
      const refusal = refusalAt(rate, tat);
      const seconds = refusal?.retryAfterSeconds ?? 0;
      expect(refusal?.code).toBe("rate_limited");
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      const late = tat - now - tolerance(rate);
      if (late <= 60_000_000) expect(seconds * 1_000_000).toBeGreaterThanOrEqual(late);
    }),
  );
});
