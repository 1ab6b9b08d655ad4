// Which form of the rate limit a write tries first, and when it tries another: over a bucket in memory.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { guessed, type RateGuess, rateExpression } from "../../../../adapters/dynamodb/budget/rate-guess.ts";
import { hasRoom, impossibleFrom, interval, type RateLimit, tolerance } from "../../../../domain/budget/rate-limit.ts";
import { nothingSpent, type Written } from "../../../../domain/budget/spending.ts";

const rate: RateLimit = { burst: 3, perMinute: 60 };
const second = 1_000_000;
const now = 1_000 * second;

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
    return { written: holds, spending: { ...nothingSpent, tat: this.tat ?? 0, tatRate: this.tatRate } };
  };
}

const guessFrom = (lastTat: number, write: (guess: RateGuess) => Promise<Written>, limit = rate) =>
  guessed({ rate: limit, nowMicros: now, lastTat, clock: () => now / 1_000 }, write);

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
    expect((await guessFrom(lastTat, bucket.write)).written).toBe(true);
    expect(bucket.forms).toEqual(forms);
  });
});

describe("a bucket that another limit was counted by", () => {
  const known = { rate, nowMicros: now, lastTat: 0, clock: () => now / 1_000 };

  test("is taken over by one whose limits are fresh", async () => {
    const bucket = new Bucket(now + 60 * second, "60/1");
    expect((await guessed({ ...known, isFresh: true }, bucket.write)).written).toBe(true);
    expect(bucket).toMatchObject({ forms: ["idle", "changed"], tat: now + 3 * second, tatRate: "3/60" });
  });

  test("and keeps what is owed, where these limits can make it", async () => {
    const bucket = new Bucket(now + second, "60/1");
    await guessed({ ...known, isFresh: true, lastTat: now + second, lastRate: "60/1" }, bucket.write);
    expect(bucket).toMatchObject({ forms: ["changed"], tat: now + 2 * second });
  });

  test("is left as it is by one whose limits may be old", async () => {
    const bucket = new Bucket(now + second, "60/1");
    expect((await guessed(known, bucket.write)).written).toBe(false);
    expect(bucket).toMatchObject({ tat: now + second, tatRate: "60/1" });
  });
});

describe("a write is not tried again", () => {
  test("if the bucket has no room", async () => {
    const bucket = new Bucket(now + 2 * second + 1);
    expect((await guessFrom(0, bucket.write)).written).toBe(false);
    expect(bucket.forms).toEqual(["idle"]);
  });

  test("if it was refused for something else", async () => {
    const forms: string[] = [];
    const refusing = async ({ form }: RateGuess) => {
      forms.push(form);
      return { written: false, spending: { ...nothingSpent, tat: now } };
    };
    expect((await guessFrom(0, refusing)).written).toBe(false);
    expect(forms).toEqual(["idle"]);
  });

  test("after five guesses, each of which others turned wrong", async () => {
    const forms: string[] = [];
    const turning = async ({ form }: RateGuess) => {
      forms.push(form);
      const tat = form === "idle" ? now + second : now;
      return { written: false, spending: { ...nothingSpent, tat } };
    };
    expect((await guessFrom(0, turning)).written).toBe(false);
    expect(forms).toEqual(["idle", "busy", "idle", "busy", "idle"]);
  });
});

test("whatever is remembered, a call is admitted where the rule says, within three tries, and never leaves more debt than a full bucket's", async () => {
  const micros = fc.integer({ min: -10_000_000, max: 10_000_000 });
  const limits = fc.record({ burst: fc.integer({ min: 1, max: 5 }), perMinute: fc.integer({ min: 1, max: 600 }) });
  await fc.assert(
    fc.asyncProperty(limits, micros, micros, async (limit, tat, remembered) => {
      const bucket = new Bucket(now + tat);
      const { written } = await guessFrom(now + remembered, (guess) => bucket.write(guess, limit), limit);
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
