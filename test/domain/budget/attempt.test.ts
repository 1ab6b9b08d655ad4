// How an attempt guesses the state, and what it does when the guess was wrong: over a rate limit's bucket in memory.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Attempts } from "../../../domain/budget/attempt.ts";
import { allHold } from "../../../domain/budget/guard.ts";
import { rateRefusal } from "../../../domain/budget/limit-refusal.ts";
import {
  impossibleFrom,
  interval,
  type RateLimit,
  rateName,
  type Turn,
  tolerance,
  turnOf,
} from "../../../domain/budget/rate-limit.ts";
import {
  type AdmissionWrite,
  type Limits,
  nothingSpent,
  type SpendingState,
  type Written,
} from "../../../domain/budget/spending.ts";
import { maxAttempts } from "../../../domain/kernel/optimistic.ts";

const rate: RateLimit = { burst: 3, perMinute: 60 };
const second = 1_000_000;
const now = 1_000 * second;
const key = { tenantId: "acme", callerId: "dev", month: "2026-11" };

/** A bucket that takes a turn as the store does. */
class Bucket {
  tat: number | undefined;
  tatRate: string | undefined;
  readonly forms: string[] = [];
  constructor(tat?: number, tatRate?: string) {
    this.tat = tat;
    this.tatRate = tatRate;
  }

  readonly take = async ({ form, guards, change }: Turn): Promise<Written> => {
    this.forms.push(form);
    const holds = allHold(guards, this.state.spending);
    if (holds && "add" in change) this.tat = (this.tat ?? 0) + change.add;
    else if (holds && "set" in change) [this.tat, this.tatRate] = [change.set, change.rate];
    return { written: holds, ...this.state };
  };

  get state(): SpendingState {
    return { spending: { ...nothingSpent, tat: this.tat ?? 0, tatRate: this.tatRate } };
  }
}

type Known = { lastTat?: number; lastRate?: string; isFresh?: boolean; limit?: RateLimit };

/** A call that costs nothing, of an instance that remembers this of the bucket. */
function passBy(bucket: Pick<Bucket, "take" | "state">, known: Known = {}): Promise<Written> {
  const { lastTat = 0, lastRate, isFresh = false, limit = rate } = known;
  const limits: Limits = { cap: undefined, enforcement: "reserved", maxInFlight: 1, rate: limit };
  const spending = {
    lastSeen: () => ({ spending: { ...nothingSpent, tat: lastTat, tatRate: lastRate } }),
    read: async () => bucket.state,
    admit: ({ turn }: AdmissionWrite) => bucket.take(turn as Turn),
  };
  const attempts = new Attempts({ spending, clock: () => now / 1_000, pause: async () => {}, jitter: () => 1 });
  const asked = {
    ...{ key, limits, hasFreshLimits: isFresh, onCredit: false, isLimited: false },
    ...{ requestId: undefined, ticket: undefined, until: Number.POSITIVE_INFINITY },
  };
  return attempts.run(asked, ({ spending }) => {
    const { tat, tatRate } = spending;
    if (!isFresh && tat > now && tatRate !== undefined && tatRate !== rateName(limit)) return { kind: "refresh" };
    const refusal = rateRefusal(limits, spending, now);
    return refusal ? { kind: "refuse", refusal } : { kind: "admit", reservation: undefined, isShortened: false };
  });
}

/** The rule of a bucket, said once more: it has room, or is in a debt that its limit cannot have made. */
const hasRoom = (limit: RateLimit, tat: number) => tat <= now + tolerance(limit) || tat > impossibleFrom(limit, now);

describe.each([
  ["nothing", undefined, 0, ["idle"]],
  ["what is true", now + second, now + second, ["busy"]],
  ["a debt that was possible under other limits only", now + 60 * second, now + 60 * second, ["impossible"]],
  ["an idle bucket that is in use by now", now + second, 0, ["idle", "busy"]],
  ["a bucket in use that has rested", now, now + second, ["busy", "idle"]],
  ["a debt that others have cut", now + second, now + 60 * second, ["impossible", "busy"]],
  ["a bucket whose limits were other ones", now + 60 * second, 0, ["idle", "impossible"]],
])("an instance that remembers %s", (name, tat, lastTat, forms) => {
  test(`an instance that remembers ${name} writes the rate limit as ${forms.join(", then ")}`, async () => {
    const bucket = new Bucket(tat);
    expect((await passBy(bucket, { lastTat })).written).toBe(true);
    expect(bucket.forms).toEqual(forms);
  });
});

describe("a bucket that another limit was counted by", () => {
  test("the rate limit's state is converted if another limit was in force and the instance has read the new limits", async () => {
    const bucket = new Bucket(now + 60 * second, "60/1");
    expect((await passBy(bucket, { isFresh: true })).written).toBe(true);
    expect(bucket).toMatchObject({ forms: ["idle", "changed"], tat: now + 3 * second, tatRate: "3/60" });
  });

  test("a rate limit's state that is converted keeps its debt, as far as the new limits allow it", async () => {
    const bucket = new Bucket(now + second, "60/1");
    await passBy(bucket, { isFresh: true, lastTat: now + second, lastRate: "60/1" });
    expect(bucket).toMatchObject({ forms: ["changed"], tat: now + 2 * second });
  });

  test("the rate limit's state is not converted by an instance with old limits", async () => {
    const bucket = new Bucket(now + second, "60/1");
    expect((await passBy(bucket)).written).toBe(false);
    expect(bucket).toMatchObject({ tat: now + second, tatRate: "60/1" });
  });
});

test("a write is not tried again if the rate limit has no room", async () => {
  const bucket = new Bucket(now + 2 * second + 1);
  expect((await passBy(bucket)).written).toBe(false);
  expect(bucket.forms).toEqual(["idle"]);
});

test("a write that always conflicts is tried as often as any optimistic write", async () => {
  const bucket = new Bucket();
  const turning = async ({ form }: Turn) => {
    bucket.forms.push(form);
    bucket.tat = form === "idle" ? now + second : now;
    return { written: false, ...bucket.state };
  };
  expect((await passBy({ take: turning, state: bucket.state })).written).toBe(false);
  expect(bucket.forms).toEqual(["idle", "busy", "idle", "busy", "idle"]);
  expect(bucket.forms).toHaveLength(maxAttempts);
});

test("a call that the rules admit is admitted within three tries, whatever the instance remembers", async () => {
  const micros = fc.integer({ min: -10_000_000, max: 10_000_000 });
  const limits = fc.record({ burst: fc.integer({ min: 1, max: 5 }), perMinute: fc.integer({ min: 1, max: 600 }) });
  await fc.assert(
    fc.asyncProperty(limits, micros, micros, async (limit, tat, remembered) => {
      const bucket = new Bucket(now + tat);
      const { written } = await passBy(bucket, { lastTat: now + remembered, limit });
      expect(written).toBe(hasRoom(limit, now + tat));
      expect(bucket.forms.length).toBeLessThanOrEqual(3);
      if (written) expect(bucket.tat).toBeLessThanOrEqual(now + limit.burst * interval(limit));
      else expect(bucket.tat).toBe(now + tat);
    }),
  );
});

test("the guards of a rate limit's write hold exactly if the limit has room", () => {
  const micros = fc.integer({ min: -10_000_000, max: 10_000_000 });
  fc.assert(
    fc.property(micros, (offset) => {
      const spending = { ...nothingSpent, tat: now + offset };
      const { guards } = turnOf(spending, rate, { isFresh: false, nowMicros: now });
      expect(allHold(guards, spending)).toBe(hasRoom(rate, now + offset));
    }),
  );
});
