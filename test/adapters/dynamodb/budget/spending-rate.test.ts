// The rate limit in the writes of the spending store: its four forms, changed limits, and instances that guess wrong.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { microsOf, type RateLimit } from "../../../../domain/budget/rate-limit.ts";
import type { SpendingKey } from "../../../../domain/budget/spending.ts";
import type { SingleStore } from "../../../support/accounting/single-admission.ts";
import {
  aKey,
  aReservation,
  now,
  spendingSuite,
  theLimits,
  unsound,
} from "../../../support/accounting/spending-table.ts";
import { FakeTime } from "../../../support/fake-time.ts";

const { table, store } = spendingSuite();
let time: FakeTime;
beforeEach(() => {
  time = new FakeTime(now);
  table.time.clock = time.clock;
});

const second = 1_000_000;
const rate = { burst: 3, perMinute: 60 };
const nowMicros = () => microsOf(time.clock());
let asked = 0;

/** Under a limit that is in force, or one that its function has known for a while. */
async function admit(key: SpendingKey, limit: RateLimit = rate, by = store, hasFreshLimits = true) {
  const reservation = aReservation(`r${++asked}`, { amount: 1 });
  const limits = theLimits({ cap: undefined, maxInFlight: 1_000, rate: limit });
  return by.admit({ key, limits, hasFreshLimits, reservation });
}

async function caller(tatSeconds: number): Promise<SpendingKey> {
  const key = aKey();
  await table.putItem(key, { tat: nowMicros() + tatSeconds * second });
  return key;
}

/** How many are admitted before the first refusal. */
async function inARow(key: SpendingKey, limit: RateLimit): Promise<number> {
  let admitted = 0;
  while ((await admit(key, limit)).written) admitted++;
  return admitted;
}

/** Seconds from now to the bucket's state. */
const debt = async (key: SpendingKey) => ((await table.of(key)).tat - nowMicros()) / second;

describe.each([
  ["nobody has met", undefined, true, 1],
  ["has rested", -100, true, 1],
  ["is at the very instant of its debt's end", 0, true, 1],
  ["has used some of its burst", 1.5, true, 2.5],
  ["has one call left", 2, true, 3],
  ["has used it up", 2.001, false, 2.001],
  ["has all of it to refill", 3, false, 3],
  ["is in more debt than clocks explain", 5.001, true, 3],
  ["is in debt to a limit of long ago", 3_600, true, 3],
])("a caller who %s", (name, tat, isAdmitted, left) => {
  test(`a caller who ${name} is ${isAdmitted ? "admitted" : "refused, and nothing changes"}`, async () => {
    const key = tat === undefined ? aKey() : await caller(tat);
    expect((await admit(key)).written).toBe(isAdmitted);
    expect(await debt(key)).toBeCloseTo(left, 6);
    expect((await table.itemOf(key))?.inflight).toBe(isAdmitted ? 1 : undefined);
  });
});

describe("a limit that was changed counts at once", () => {
  test("a debt that the new rate limit could not cause is cut to the largest that it can", async () => {
    const slow = { burst: 60, perMinute: 1 };
    const key = aKey();
    expect(await inARow(key, slow)).toBe(60);
    expect(await debt(key)).toBe(3_600);
    expect((await admit(key, { burst: 10, perMinute: 600 })).written).toBe(true);
    expect(await debt(key)).toBe(1);
  });

  test("a rate limit that is raised only in its burst admits the difference", async () => {
    const key = aKey();
    expect(await inARow(key, rate)).toBe(3);
    expect(await inARow(key, { ...rate, burst: 5 })).toBe(2);
  });

  test("a lowered rate limit admits at most its own burst, and then calls at its own rate", async () => {
    const key = aKey();
    expect(await inARow(key, { burst: 100, perMinute: 6_000 })).toBe(100);
    const lower = { burst: 2, perMinute: 1 };
    // What is left of the old debt counts: a second, of the minute that a call now takes.
    expect(await inARow(key, lower)).toBe(1);
    for (let minute = 0; minute < 3; minute++) {
      await time.advance(60_000);
      expect(await inARow(key, lower)).toBe(1);
    }
  });
});

describe("a function that knows an old limit", () => {
  const before = { burst: 60, perMinute: 1 };
  const after = { burst: 10, perMinute: 600 };
  const admitByOld = (key: SpendingKey, limit: RateLimit) => admit(key, limit, table.single(), false);

  test.each([
    ["raised", before, after],
    ["lowered", after, before],
  ])(
    "a function that knows the old rate limit admits no call once another has counted by the new limit: %s",
    async (_name, old, changed) => {
      const key = aKey();
      await inARow(key, old);
      expect((await admit(key, changed)).written).toBe(true);
      const left = await debt(key);
      const refused = await admitByOld(key, old);
      expect(refused).toMatchObject({ written: false, spending: { tatRate: `${changed.burst}/${changed.perMinute}` } });
      expect(await debt(key)).toBe(left);
    },
  );

  test("a function that knows the old rate limit admits calls until another counts by the new limit", async () => {
    const key = aKey();
    expect((await admitByOld(key, rate)).written).toBe(true);
    expect((await admitByOld(key, rate)).written).toBe(true);
    await time.advance(2_000);
    expect((await admitByOld(key, after)).written).toBe(true);
  });
});

describe("many callers at once", () => {
  test("many simultaneous calls use a burst of n for n calls, and leave the rate limit's state consistent", async () => {
    const key = aKey();
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => admit(key, { burst: 7, perMinute: 1 }, table.single())),
    );
    expect(tries.filter(({ written }) => written)).toHaveLength(7);
    expect(await debt(key)).toBe(420);
    expect(unsound(await table.of(key))).toEqual([]);
  });

  test("instances correct an impossible debt of the rate limit once", async () => {
    const key = await caller(3_600);
    const tries = await Promise.all(Array.from({ length: 10 }, () => admit(key, rate, table.single())));
    expect(tries.filter(({ written }) => written)).toHaveLength(1);
    expect(await debt(key)).toBe(3);
  });
});

describe("instances that know nothing of each other", () => {
  test("instances guess the rate limit's state, and correct a wrong guess within one admission", async () => {
    const key = aKey();
    for (let turn = 0; turn < 3; turn++) expect((await admit(key, rate, table.single())).written).toBe(true);
    const last = await admit(key, rate, table.single());
    expect(last).toMatchObject({ written: false, spending: { inflight: 3, tat: nowMicros() + 3 * second } });
  });

  test("instances correct an outdated state of the rate limit", async () => {
    const key = aKey();
    await admit(key);
    await time.advance(5_000);
    expect(await admit(key)).toMatchObject({ written: true, spending: { tat: nowMicros() + second } });
  });

  test("instances need one call to the store if the state that they remember is right", async () => {
    const key = aKey();
    table.calls.length = 0;
    for (let turn = 0; turn < 3; turn++) await admit(key);
    expect(table.calls).toHaveLength(3);
  });

  test("instances do not guess again if a caller is refused for another reason than the rate limit", async () => {
    const key = await caller(-5);
    await table.putItem(key, { tat: nowMicros(), spent: 100, committed: 100 });
    table.calls.length = 0;
    const reservation = aReservation("r1");
    await store.admit({ key, limits: theLimits({ rate }), reservation });
    expect(table.calls).toHaveLength(1);
  });

  test("instances admit a caller even if every guess is outdated, as long as the rate limit has room", async () => {
    const key = aKey();
    // Each write finds the bucket in the other state, and the store takes five milliseconds.
    const turned = storeThat(async (form) => {
      await time.advance(5);
      const tat = nowMicros() + (form === "idle" ? 1_000 : -6_000);
      await table.putItem(key, { ...(await table.itemOf(key)), tat });
    });
    const { written, spending } = await admit(key, { burst: 100, perMinute: 600_000 }, turned);
    expect(written).toBe(true);
    // It costs a little of the bucket, never more than there is.
    expect(spending.tat).toBeLessThan(nowMicros() + 100 * 100);
  });

  test("instances admit a caller even if other calls are admitted during a slow write", async () => {
    const limit = { burst: 10, perMinute: 6_000 };
    const key = aKey();
    let isSlow = true;
    const slow = storeThat(async () => {
      if (!isSlow) return;
      isSlow = false;
      await time.advance(900);
      await admit(key, limit, table.single());
    });
    expect(await admit(key, limit, slow)).toMatchObject({ written: true, spending: { inflight: 2 } });
  });
});

/** A store with something that happens before each of its writes: told by the form in which the rate is asked for. */
function storeThat(happen: (form: "idle" | "busy") => Promise<void>): SingleStore {
  const { quick } = table;
  const send = async (command: { input: { UpdateExpression?: string } }) => {
    const { UpdateExpression } = command.input;
    if (UpdateExpression !== undefined) await happen(UpdateExpression.includes("tat = :next") ? "idle" : "busy");
    return quick.send(command as never);
  };
  const get = (target: DynamoDBDocumentClient, name: string | symbol) =>
    name === "send" ? send : Reflect.get(target, name, target);
  return table.single(table.storeOver(new Proxy(quick, { get })));
}
