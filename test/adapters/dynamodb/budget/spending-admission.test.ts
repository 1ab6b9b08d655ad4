// The writes that begin a call: admit, overdraw, ticket, and the pass of a call that costs nothing.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import { stored } from "../../../../adapters/dynamodb/budget/stored-reservation.ts";
import { microsOf } from "../../../../domain/budget/rate-limit.ts";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import type { Limits, SpendingKey } from "../../../../domain/budget/spending.ts";
import { shardOf } from "../../../../domain/metering/shard.ts";
import { admitSingle, type Single } from "../../../support/accounting/single-admission.ts";
import {
  aKey,
  aReservation,
  now,
  spendingSuite,
  theLimits,
  unsound,
} from "../../../support/accounting/spending-table.ts";
import { sizes } from "../../../support/sizes.ts";

const { table, store } = spendingSuite();

const nowMicros = microsOf(now);
const interval = 10_000;

function write(key: SpendingKey, reservation: Reservation, limits: Partial<Limits> = {}): Omit<Single, "ticket"> {
  return { key, limits: theLimits(limits), reservation };
}

const overdraft = (id: string, changes: Partial<Reservation> = {}) =>
  aReservation(id, { amount: 500, overdraft: true, ...changes });
const ticket = (id: string) => aReservation(id, { amount: 0 });

/** A caller's item before the write. Nothing of it is in flight but what `inflight` says. */
async function caller(item: Record<string, unknown>): Promise<SpendingKey> {
  const key = aKey();
  await table.putItem(key, { tat: 0, ...item });
  return key;
}

describe("an admission", () => {
  test("an admission of a new caller creates the item, with the reservation as given", async () => {
    const key = aKey();
    const { written, spending, credit } = await store.admit(write(key, aReservation("r1")));
    expect({ written, credit }).toEqual({ written: true, credit: undefined });
    expect(spending).toEqual({
      spent: 0,
      committed: 10,
      inflight: 1,
      tat: nowMicros + interval,
      tatRate: "100/6000",
      overdraft: undefined,
      reservations: [aReservation("r1")],
      tombstones: [],
    });
    expect(await table.of(key)).toEqual(spending);
    expect((await table.itemOf(key))?.expires_at).toBe(now / 1000 + 25 * 31 * 24 * 3600);
  });

  test("an admission takes one call to the store, also for a new caller", async () => {
    table.calls.length = 0;
    await store.admit(write(aKey(), aReservation("r1")));
    expect(table.calls).toEqual(["UpdateItem"]);
  });

  test("later admissions keep the expiry that the first admission set on an item", async () => {
    const key = await caller({ expires_at: 5 });
    await store.admit(write(key, aReservation("r1")));
    expect((await table.itemOf(key))?.expires_at).toBe(5);
  });

  test("admissions are accepted up to the last nano-USD of the budget, and not beyond", async () => {
    const key = await caller({ spent: 80, committed: 90 });
    expect(await store.admit(write(key, aReservation("r1", { amount: 11 })))).toMatchObject({ written: false });
    expect(await store.admit(write(key, aReservation("r1", { amount: 10 })))).toMatchObject({ written: true });
  });

  test("an admission without a cap is accepted, however much is spent", async () => {
    const key = await caller({ spent: 1e12, committed: 2e12 });
    const admitted = await store.admit(write(key, aReservation("r1", { amount: 1e12 }), { cap: undefined }));
    expect(admitted).toMatchObject({ written: true, spending: { committed: 3e12 } });
  });

  test("an admission with a cap of 0 is refused from the beginning, and creates no item", async () => {
    const key = aKey();
    for (const reservation of [aReservation("r1"), aReservation("r1", { amount: 0 }), overdraft("r1")]) {
      expect((await store.admit(write(key, reservation, { cap: 0 }))).written).toBe(false);
    }
    expect(await table.itemOf(key)).toBeUndefined();
  });

  test("a refused admission changes nothing, and returns the state that refused it", async () => {
    const key = aKey();
    const one = { maxInFlight: 1 };
    await store.admit(write(key, aReservation("r1"), one));
    const before = await table.itemOf(key);
    const refused = await store.admit(write(key, aReservation("r2"), one));
    expect(refused).toEqual({ written: false, spending: await table.of(key) });
    expect(refused.spending).toMatchObject({ inflight: 1, committed: 10, reservations: [aReservation("r1")] });
    expect(await table.itemOf(key)).toEqual(before);
  });

  test("an admission of more than the cap is refused for a new caller, too", async () => {
    const key = aKey();
    expect((await store.admit(write(key, aReservation("r1", { amount: 101 })))).written).toBe(false);
    expect(await table.itemOf(key)).toBeUndefined();
  });

  test("a repeated admission changes nothing and returns the first, whatever its attempt", async () => {
    const key = aKey();
    await store.admit(write(key, aReservation("r1")));
    const before = await table.itemOf(key);
    for (const version of [0, 1000]) {
      const again = await store.admit(write(key, aReservation("r1", { version, amount: 1 })));
      expect(again).toMatchObject({ written: false, spending: { reservations: [aReservation("r1")] } });
    }
    expect(await table.itemOf(key)).toEqual(before);
  });

  test("an admission changes nothing if its request has a tombstone", async () => {
    const key = aKey();
    await store.putTombstone(key, { requestId: "r1", leaseEndsAt: now });
    const late = await store.admit(write(key, aReservation("r1")));
    expect(late).toMatchObject({ written: false, spending: { inflight: 0, tombstones: [{ requestId: "r1" }] } });
  });
});

describe("with the plain check, an admission", () => {
  const plain = { enforcement: "spent" } as const;

  test("an admission with the enforcement `spent` is accepted while less than the cap is spent, whatever is reserved", async () => {
    const key = await caller({ spent: 99, committed: 5_000, inflight: 1 });
    const { written, spending } = await store.admit(write(key, aReservation("r1", { amount: 700 }), plain));
    expect({ written, committed: spending.committed }).toEqual({ written: true, committed: 5_700 });
  });

  test("an admission with the enforcement `spent` is refused once the cap is spent", async () => {
    const key = await caller({ spent: 100, committed: 100 });
    expect((await store.admit(write(key, aReservation("r1"), plain))).written).toBe(false);
  });
});

describe("an overdraft", () => {
  test("an overdraft is counted in flight and recorded, and commits nothing", async () => {
    const key = await caller({ spent: 40, committed: 99, inflight: 1 });
    const { written, spending } = await store.admit(write(key, overdraft("r1")));
    expect(written).toBe(true);
    expect(spending).toMatchObject({ spent: 40, committed: 99, inflight: 2, overdraft: "r1" });
    expect(spending.reservations).toEqual([overdraft("r1")]);
  });

  test("an overdraft of a new caller creates the item", async () => {
    const { spending } = await store.admit(write(aKey(), overdraft("r1")));
    expect(spending).toMatchObject({ spent: 0, committed: 0, inflight: 1, overdraft: "r1" });
  });

  test.each([
    ["the cap is committed, however little is spent", { spent: 10, committed: 100 }],
    ["the cap is spent", { spent: 100, committed: 99 }],
    ["somebody else overdraws", { spent: 0, committed: 0, overdraft: "=r0" }],
    ["as many are in flight as may be", { spent: 0, committed: 0, inflight: 4 }],
    ["the request has a reservation", { "r#=r1": stored(aReservation("r1")) }],
    ["the rate limit is used up", { tat: nowMicros + 100 * interval }],
  ])("an overdraft is refused while %s", async (_name, item) => {
    const key = await caller(item);
    expect((await store.admit(write(key, overdraft("r1")))).written).toBe(false);
  });

  test("only one of many simultaneous overdrafts is admitted", async () => {
    const key = aKey();
    const asked = Array.from({ length: 4 }, (_, index) => table.single().admit(write(key, overdraft(`r${index}`))));
    expect((await Promise.all(asked)).filter(({ written }) => written)).toHaveLength(1);
    expect(unsound(await table.of(key))).toEqual([]);
  });
});

describe("a ticket", () => {
  test("a ticket is counted in flight and in the rate limit, and commits nothing", async () => {
    const key = await caller({ spent: 10, committed: 100, inflight: 3, overdraft: "=r0" });
    const { written, spending } = await store.admit(write(key, ticket("r1")));
    expect(written).toBe(true);
    expect(spending).toMatchObject({ spent: 10, committed: 100, inflight: 4, tat: nowMicros + interval });
    expect(spending.reservations).toEqual([ticket("r1")]);
  });

  test.each([
    ["the cap is spent", { spent: 100, committed: 100 }],
    ["as many are in flight as may be", { inflight: 4 }],
    ["the request has a reservation", { "r#=r1": stored(aReservation("r1")) }],
    ["the rate limit is used up", { tat: nowMicros + 100 * interval }],
  ])("a ticket is refused while %s", async (_name, item) => {
    const key = await caller(item);
    expect((await store.admit(write(key, ticket("r1")))).written).toBe(false);
  });
});

describe("a call that costs nothing", () => {
  const pass = (key: SpendingKey, limits: Partial<Limits> = {}) =>
    store.pass({ key, limits: theLimits(limits), onCredit: false });

  test("admitting a call that costs nothing changes only the rate limit", async () => {
    const key = aKey();
    expect(await pass(key)).toMatchObject({ written: true });
    const { pk: _pk, sk: _sk, ...item } = (await table.itemOf(key)) ?? {};
    expect(item).toEqual({ tat: nowMicros + interval, tat_rate: "100/6000", expires_at: expect.any(Number) });
  });

  test("a call that costs nothing is refused if the budget is spent, and admitted if the rest is only reserved", async () => {
    expect((await pass(await caller({ spent: 100, committed: 100 }))).written).toBe(false);
    expect((await pass(await caller({ spent: 99, committed: 900, inflight: 4 }))).written).toBe(true);
    expect((await pass(await caller({ spent: 100, committed: 100 }), { cap: undefined })).written).toBe(true);
  });

  test("a call that costs nothing is counted at most twice in the rate limit if its answer is lost, and commits no money", async () => {
    const key = aKey();
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    expect((await pass(key)).written).toBe(true);
    expect(await table.of(key)).toMatchObject({ spent: 0, committed: 0, tat: nowMicros + 2 * interval });
  });
});

test("the store admits calls, overdrafts and tickets exactly if the rules do, and a refused write changes nothing", async () => {
  const money = fc.integer({ min: 0, max: 30 });
  const states = fc.record({
    spent: money,
    reserved: fc.array(money, { maxLength: 3 }),
    overdraft: fc.option(money, { nil: undefined }),
    settled: fc.boolean(),
    tat: fc.integer({ min: -4, max: 8 }),
  });
  const asked = fc.record({
    cap: fc.option(money, { nil: undefined }),
    enforcement: fc.constantFrom("reserved" as const, "spent" as const),
    maxInFlight: fc.integer({ min: 1, max: 5 }),
    burst: fc.integer({ min: 1, max: 4 }),
    amount: money,
    overdraws: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(states, asked, async ({ spent, reserved, overdraft, settled, tat }, asked) => {
      const key = aKey();
      // An item in which nobody was admitted yet, only tokens counted, has neither spending nor reservations.
      const committed = reserved.reduce((sum, each) => sum + each, spent);
      const before = {
        tat: nowMicros + tat * 1_000_000,
        ...(settled && { spent, committed, inflight: reserved.length }),
        ...(settled && overdraft !== undefined && { overdraft: "=over" }),
      };
      await table.putItem(key, before);
      const { cap, enforcement, maxInFlight, burst, amount, overdraws } = asked;
      const limits = { cap, enforcement, maxInFlight, rate: { burst, perMinute: 60 } };
      const isCapped = cap !== undefined && enforcement === "reserved";
      const isOverdraft = overdraws && isCapped && amount > 0;
      const reservation = aReservation("new", { amount, overdraft: isOverdraft });
      const { written } = await table.single().admit({ key, limits, reservation });

      const known = { spent: 0, committed: 0, inflight: 0, overdraft: undefined, ...before };
      const fitsRate = tat < burst || tat > burst + 2;
      const fitsBudget =
        !isCapped || amount === 0
          ? true
          : isOverdraft
            ? known.overdraft === undefined && known.committed < cap
            : known.committed + amount <= cap;
      const isBelowCap = cap === undefined || known.spent < cap;
      expect(written).toBe(fitsRate && fitsBudget && isBelowCap && known.inflight < maxInFlight);
      const { tenantId, callerId, month } = key;
      if (!written)
        expect(await table.itemOf(key)).toEqual({
          ...spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }),
          ...before,
        });
    }),
    { numRuns: sizes.spendingStates },
  );
});

describe("many at once", () => {
  test("many simultaneous admissions reserve at most the cap, and one of them may overdraw", async () => {
    const key = aKey();
    const limits = { maxInFlight: 64 };
    const admit = (reservation: Reservation) => table.single().admit(write(key, reservation, limits));
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 3 === 0 ? admit(overdraft(`o${index}`)) : admit(aReservation(`r${index}`, { amount: 9 })),
      ),
    );
    const state = await table.of(key);
    expect(state.committed).toBe(99);
    expect(state.reservations).toHaveLength(12);
    expect(tries.filter(({ written }) => written)).toHaveLength(12);
    expect(unsound(state)).toEqual([]);
  });
});

describe("an admission whose answer is lost", () => {
  test("an admission whose answer is lost is reported, found by the next attempt, and counted once", async () => {
    const key = aKey();
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    table.calls.length = 0;
    const admitted = await admitSingle(table.newInstance(), write(key, aReservation("r1")), () => now);
    expect(admitted).toMatchObject({ written: false, lost: 1 });
    expect(table.calls).toEqual(["UpdateItem", "UpdateItem"]);
    expect(admitted.spending).toMatchObject({ committed: 10, inflight: 1, tat: nowMicros + interval });
    expect(admitted.spending.reservations).toEqual([aReservation("r1")]);
  });

  test("an admission whose answer is lost three times is an outage, and its first attempt counts", async () => {
    const key = aKey();
    const cut = { operation: "UpdateItem", when: "after", kind: "cut" } as const;
    table.strike(cut, { ...cut, when: "before", nth: 2, times: 2 });
    await expect(store.admit(write(key, aReservation("r1")))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await table.of(key)).toMatchObject({ inflight: 1, reservations: [aReservation("r1")] });
  });
});

test.each(["throttle", "conflict"] as const)(
  "an admission is tried again after a %s, which had no effect",
  async (kind) => {
    table.strike({ operation: "UpdateItem", when: "before", kind, times: 2 });
    expect((await store.admit(write(aKey(), aReservation("r1")))).written).toBe(true);
  },
);

test.each(["throttle", "conflict"] as const)(
  "an admission that meets a %s without end is an outage, and has no effect",
  async (kind) => {
    const key = aKey();
    table.strike({ operation: "UpdateItem", when: "before", kind, times: 99 });
    await expect(store.admit(write(key, aReservation("r1")))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await table.itemOf(key)).toBeUndefined();
  },
);

describe("the index of active callers", () => {
  const isListed = async ({ tenantId, callerId, month }: SpendingKey) => {
    const found = await table.listedCallers(month, shardOf(tenantId));
    return found.filter(({ gsi2_sk }) => gsi2_sk === `${tenantId}#${callerId}`);
  };

  test("the index of active callers contains a caller once, from the first admission on, only with the key of the item", async () => {
    const key = aKey();
    await store.admit(write(key, aReservation("r1")));
    await store.admit(write(key, aReservation("r2")));
    const { pk, sk } = (await table.itemOf(key)) ?? {};
    expect(await isListed(key)).toEqual([
      { pk, sk, gsi2_pk: `ACTIVE#2026-11#${shardOf(key.tenantId)}`, gsi2_sk: `${key.tenantId}#dev` },
    ]);
  });

  test("the index of active callers also contains a caller with only a tombstone, so that it can be removed", async () => {
    const key = aKey();
    await store.putTombstone(key, { requestId: "r1", leaseEndsAt: now });
    expect(await isListed(key)).toHaveLength(1);
  });

  test("the index of active callers does not contain a caller who was refused or only counted tokens", async () => {
    const key = aKey();
    await store.pass({ key, limits: theLimits(), onCredit: false });
    await store.admit(write(key, aReservation("r1", { amount: 101 })));
    expect(await isListed(key)).toEqual([]);
  });
});
