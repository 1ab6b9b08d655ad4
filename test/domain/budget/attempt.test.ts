// How an attempt guesses the state, and what it does when the guess was wrong: over a rate limit's bucket in memory.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Attempts, maxConflicts } from "../../../domain/budget/attempt.ts";
import { allHold } from "../../../domain/budget/guard.ts";
import { rateRefusal } from "../../../domain/budget/limit-refusal.ts";
import { plannedReservation } from "../../../domain/budget/plan.ts";
import {
  impossibleFrom,
  interval,
  type RateLimit,
  rateName,
  type Turn,
  tolerance,
  turnOf,
} from "../../../domain/budget/rate-limit.ts";
import type { Reservation } from "../../../domain/budget/reservation.ts";
import {
  type AdmissionWrite,
  type Limits,
  nothingSpent,
  type SpendingState,
  type Written,
} from "../../../domain/budget/spending.ts";
import { maxAttempts } from "../../../domain/kernel/optimistic.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { asking } from "../../support/accounting/admissions.ts";

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

describe("the writes of an attempt", () => {
  const limits: Limits = { cap: undefined, enforcement: "reserved", maxInFlight: 1, rate };
  const made = { now: 0, version: 0, admittedAt: 0, onCredit: false };
  const reservation = plannedReservation(asking("r1"), { kind: "reserve", maxTokens: 3 }, made);
  const outrun = { written: false, spending: nothingSpent };

  /** @param answers of the store, in turn; the last one stands for all later ones. Each takes ten milliseconds */
  function attempt(reservation: Reservation | undefined, answers: (Written | "conflict" | Refusal)[], lasting = 1_000) {
    const writes: AdmissionWrite[] = [];
    const pauses: number[] = [];
    let milliseconds = 0;
    const spending = {
      lastSeen: () => undefined,
      read: async () => ({ spending: nothingSpent }),
      admit: async (write: AdmissionWrite) => {
        writes.push(write);
        milliseconds += 10;
        const answer = answers[Math.min(writes.length, answers.length) - 1];
        if (answer instanceof Refusal) throw answer;
        return answer ?? "conflict";
      },
    };
    const pause = async (milliseconds: number) => void pauses.push(milliseconds);
    const attempts = new Attempts({ spending, clock: () => milliseconds, pause, jitter: () => 1.5 });
    const asked = {
      ...{ key, limits, hasFreshLimits: false, onCredit: false, isLimited: false },
      ...{ requestId: reservation?.requestId, ticket: undefined, until: lasting },
    };
    const attempted = attempts.run(asked, () => ({ kind: "admit", reservation, isShortened: false }));
    return { attempted, writes, attempts, pauses };
  }

  test("an attempt sends nothing after the admission's time, and a call that costs nothing is not admitted then", async () => {
    const { attempted, writes } = attempt(undefined, [outrun], 20);
    expect(await attempted).toMatchObject({ written: false });
    expect(writes).toHaveLength(3);
  });

  test("an attempt's write reaches further into a bucket in use, the longer its rounds have taken", async () => {
    const { attempted, writes } = attempt(undefined, [outrun]);
    await attempted;
    const bounds = writes.map(
      ({ turn }, round) => Number(turn?.guards.map((guard) => "bound" in guard && guard.bound)) - round * 10_000,
    );
    expect(bounds).toEqual([0, 10_000, 40_000, 90_000, 160_000]);
  });

  test("an attempt counts a write without an answer as a round, so that it sends five writes at most", async () => {
    const silence = new Refusal("store_unavailable", "no answer");
    const { attempted, writes, attempts } = attempt(reservation, [silence, silence, outrun]);
    expect(await attempted).toMatchObject({ written: false, reservation: undefined });
    expect([writes.length, attempts.lost]).toEqual([maxAttempts, 2]);
  });

  test("an attempt that meets others' transactions pauses up to twice as long each time, and never longer than 640 ms", async () => {
    const { attempted, pauses } = attempt(reservation, ["conflict"]);
    await expect(attempted).rejects.toMatchObject({ code: "store_unavailable" });
    expect(pauses).toEqual([40, 80, 160, 320, ...Array(maxConflicts - 5).fill(640)]);
  });

  test("a reservation that was reclaimed before its own function read it is made again, as another attempt of the request", async () => {
    const gone = { written: true, spending: nothingSpent };
    const there = { written: true, spending: { ...nothingSpent, reservations: [reservation] } };
    const { attempted, writes, attempts } = attempt(reservation, [gone, there]);
    expect(await attempted).toMatchObject({ written: true, reservation });
    expect([writes.length, attempts.lost]).toEqual([2, 1]);
  });
});
