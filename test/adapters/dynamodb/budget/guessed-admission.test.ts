// How an admission guesses the state, and what it does when the guess was wrong: over a rate limit's bucket in memory.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { guessedAdmission } from "../../../../adapters/dynamodb/budget/guessed-admission.ts";
import { type RateGuess, rateExpression } from "../../../../adapters/dynamodb/budget/rate-expression.ts";
import { SpendingMemory } from "../../../../adapters/dynamodb/budget/spending-memory.ts";
import { rateRefusal } from "../../../../domain/budget/limit-refusal.ts";
import {
  hasRoom,
  impossibleFrom,
  interval,
  type RateLimit,
  rateName,
  tolerance,
} from "../../../../domain/budget/rate-limit.ts";
import { type Limits, nothingSpent, type SpendingState, type Written } from "../../../../domain/budget/spending.ts";
import { maxAttempts } from "../../../../domain/kernel/optimistic.ts";

const rate: RateLimit = { burst: 3, perMinute: 60 };
const second = 1_000_000;
const now = 1_000 * second;
const key = { tenantId: "acme", callerId: "dev", month: "2026-11" };

/** A bucket that takes a guess as DynamoDB would. */
class Bucket {
  tat: number | undefined;
  tatRate: string | undefined;
  readonly forms: string[] = [];
  constructor(tat?: number, tatRate?: string) {
    this.tat = tat;
    this.tatRate = tatRate;
  }

  readonly write = async (guess: RateGuess, limit: RateLimit = rate): Promise<Written> => {
    this.forms.push(guess.form);
    const values: Record<string, unknown> = rateExpression(limit, guess).values;
    const value = (name: string) => Number(values[name]);
    const { tat = Number.NEGATIVE_INFINITY, tatRate } = this;
    const isSame = tatRate === undefined || tatRate === values[":rate"];
    const holds = {
      idle: tat <= value(":now"),
      busy: tat > value(":now") && tat <= value(":now_plus_burst") && isSame,
      impossible: tat > value(":now") && isSame,
      changed: tat > value(":now") && !isSame,
    }[guess.form];
    if (holds) {
      this.tat = guess.form === "busy" ? tat + value(":step") : value(":next");
      this.tatRate = String(values[":rate"]);
    }
    return { written: holds, ...this.state };
  };

  get state(): SpendingState {
    return { spending: { ...nothingSpent, tat: this.tat ?? 0, tatRate: this.tatRate } };
  }
}

type Known = { lastTat?: number; lastRate?: string; isFresh?: boolean; limit?: RateLimit };

/** A call that costs nothing, of an instance that remembers this of the bucket. */
function passBy(bucket: Pick<Bucket, "write" | "state">, known: Known = {}): Promise<Written> {
  const { lastTat = 0, lastRate, isFresh = false, limit = rate } = known;
  const clock = () => now / 1_000;
  const memory = new SpendingMemory(clock);
  memory.remember(key, { spending: { ...nothingSpent, tat: lastTat, tatRate: lastRate } });
  const limits: Limits = { cap: undefined, enforcement: "reserved", maxInFlight: 1, rate: limit };
  const read = async () => bucket.state;
  const admit = guessedAdmission({ memory, read, write: (_asked, _none, guess) => bucket.write(guess, limit), clock });
  return admit({
    ...{ key, limits, hasFreshLimits: isFresh, onCredit: false, requestId: undefined, ticket: undefined },
    until: Number.POSITIVE_INFINITY,
    decide({ spending }) {
      const { tat, tatRate } = spending;
      if (!isFresh && tat > now && tatRate !== undefined && tatRate !== rateName(limit)) return { kind: "refresh" };
      const refusal = rateRefusal(limits, spending, now);
      return refusal ? { kind: "refuse", refusal } : { kind: "admit", reservation: undefined, isShortened: false };
    },
    noteLost() {},
  });
}

describe.each([
  ["nothing", undefined, 0, ["idle"]],
  ["what is true", now + second, now + second, ["busy"]],
  ["a debt that was possible under other limits only", now + 60 * second, now + 60 * second, ["impossible"]],
  ["an idle bucket that is in use by now", now + second, 0, ["idle", "busy"]],
  ["a bucket in use that has rested", now, now + second, ["busy", "idle"]],
  ["a debt that others have cut", now + second, now + 60 * second, ["impossible", "busy"]],
  ["a bucket whose limits were other ones", now + 60 * second, 0, ["idle", "impossible"]],
])("an instance that remembers %s", (_name, tat, lastTat, forms) => {
  test(`is written by ${forms.join(", then ")}`, async () => {
    const bucket = new Bucket(tat);
    expect((await passBy(bucket, { lastTat })).written).toBe(true);
    expect(bucket.forms).toEqual(forms);
  });
});

describe("a bucket that another limit was counted by", () => {
  test("is taken over by one whose limits are fresh", async () => {
    const bucket = new Bucket(now + 60 * second, "60/1");
    expect((await passBy(bucket, { isFresh: true })).written).toBe(true);
    expect(bucket).toMatchObject({ forms: ["idle", "changed"], tat: now + 3 * second, tatRate: "3/60" });
  });

  test("and keeps what is owed, where these limits can make it", async () => {
    const bucket = new Bucket(now + second, "60/1");
    await passBy(bucket, { isFresh: true, lastTat: now + second, lastRate: "60/1" });
    expect(bucket).toMatchObject({ forms: ["changed"], tat: now + 2 * second });
  });

  test("is left as it is by one whose limits may be old", async () => {
    const bucket = new Bucket(now + second, "60/1");
    expect((await passBy(bucket)).written).toBe(false);
    expect(bucket).toMatchObject({ tat: now + second, tatRate: "60/1" });
  });
});

test("a write is not tried again if the bucket has no room", async () => {
  const bucket = new Bucket(now + 2 * second + 1);
  expect((await passBy(bucket)).written).toBe(false);
  expect(bucket.forms).toEqual(["idle"]);
});

test("a write that others outrun each time is tried as often as any optimistic write", async () => {
  const bucket = new Bucket();
  const turning = async ({ form }: RateGuess) => {
    bucket.forms.push(form);
    bucket.tat = form === "idle" ? now + second : now;
    return { written: false, ...bucket.state };
  };
  expect((await passBy({ write: turning, state: bucket.state })).written).toBe(false);
  expect(bucket.forms).toEqual(["idle", "busy", "idle", "busy", "idle"]);
  expect(bucket.forms).toHaveLength(maxAttempts);
});

test("whatever is remembered, a call is admitted where the rule says, within three tries, and never leaves more debt than a full bucket's", async () => {
  const micros = fc.integer({ min: -10_000_000, max: 10_000_000 });
  const limits = fc.record({ burst: fc.integer({ min: 1, max: 5 }), perMinute: fc.integer({ min: 1, max: 600 }) });
  await fc.assert(
    fc.asyncProperty(limits, micros, micros, async (limit, tat, remembered) => {
      const bucket = new Bucket(now + tat);
      const { written } = await passBy(bucket, { lastTat: now + remembered, limit });
      expect(written).toBe(hasRoom(limit, now + tat, now));
      expect(bucket.forms.length).toBeLessThanOrEqual(3);
      if (written) expect(bucket.tat).toBeLessThanOrEqual(now + limit.burst * interval(limit));
      else expect(bucket.tat).toBe(now + tat);
    }),
  );
});

test("the three forms together are every bucket with room, and overlap nowhere", () => {
  const micros = fc.integer({ min: -10_000_000, max: 10_000_000 });
  fc.assert(
    fc.property(micros, (offset) => {
      const tat = now + offset;
      const holding = [tat <= now, tat > now && tat <= now + tolerance(rate), tat > impossibleFrom(rate, now)];
      expect(holding.filter(Boolean)).toHaveLength(hasRoom(rate, tat, now) ? 1 : 0);
    }),
  );
});
