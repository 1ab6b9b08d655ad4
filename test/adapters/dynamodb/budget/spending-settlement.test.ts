// The writes that end a call: settlement, and the tombstone of one whose admission may still come.
import { describe, expect, test } from "@jest/globals";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import type { SettlementWrite, SpendingKey } from "../../../../domain/budget/spending.ts";
import {
  aKey,
  aReservation,
  next,
  now,
  spendingSuite,
  theLimits,
  unsound,
} from "../../../support/accounting/spending-table.ts";

const { table, store } = spendingSuite();

const reserved = aReservation("r1");
const holder = aReservation("r1", { amount: 500, overdraft: true });

async function admitted(...reservations: Reservation[]): Promise<SpendingKey> {
  const key = aKey();
  for (const reservation of reservations) {
    const { written } = await store.admit({ key, limits: theLimits(), reservation });
    expect(written).toBe(true);
  }
  return key;
}

const settle = (key: SpendingKey, reservation: Reservation, cost: number) =>
  store.settle({ key, reservation, cost, tokens: 1 });

describe("a settlement", () => {
  test("a settlement turns the reservation into spent money, and leaves other reservations unchanged", async () => {
    const other = aReservation("r2");
    const key = await admitted(reserved, other);
    const { written, spending } = await settle(key, reserved, 3);
    expect(written).toBe(true);
    expect(spending).toMatchObject({ spent: 3, committed: 13, inflight: 1 });
    expect(await table.of(key)).toMatchObject({ spent: 3, committed: 13, inflight: 1, reservations: [other] });
  });

  test.each([
    ["of nothing releases the reservation", 0],
    ["above its amount is counted in full", 500],
  ])("%s", async (_name, cost) => {
    const key = await admitted(reserved);
    await settle(key, reserved, cost);
    expect(await table.of(key)).toMatchObject({ spent: cost, committed: cost, inflight: 0, reservations: [] });
  });

  test("a settlement counts once, however often it is repeated, and whatever a later settlement says", async () => {
    const key = await admitted(reserved);
    const written = [];
    for (const cost of [4, 4, 9]) written.push((await settle(key, reserved, cost)).written);
    expect(written).toEqual([true, false, false]);
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
  });

  test("settlements that begin fallbacks at the same time keep each other's, and one that ends fallbacks keeps the rest", async () => {
    const all = ["r1", "r2", "r3", "r4"].map((id) => aReservation(id));
    const key = await admitted(...all);
    const zurich = { model: "claude-sonnet-5", region: "eu-central-2", until: 3_600_000 };
    const [virginia, later] = [
      { ...zurich, region: "us-east-1" },
      { ...zurich, until: 3_660_000 },
    ];
    const [first, second, third, fourth] = all.map((reservation) => ({ key, reservation, cost: 1, tokens: 1 }));
    await Promise.all([
      store.settle({ ...(first as SettlementWrite), begun: zurich }),
      store.settle({ ...(second as SettlementWrite), begun: virginia }),
    ]);
    expect((await table.of(key)).fallbacks).toEqual(expect.arrayContaining([zurich, virginia]));
    await store.settle({ ...(third as SettlementWrite), begun: later, ended: [zurich] });
    await store.settle({ ...(fourth as SettlementWrite), ended: [zurich, virginia] });
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0, fallbacks: [later] });
  });

  test("a settlement whose answer is lost is sent again, and counts once", async () => {
    const key = await admitted(reserved);
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    const { spending } = await settle(key, reserved, 4);
    expect(spending).toMatchObject({ spent: 4, committed: 4, inflight: 0, reservations: [] });
  });

  test("a settlement removes the reservation only in its known version, and otherwise returns the stored reservation", async () => {
    const key = await admitted(reserved);
    const changed = next(reserved, { amount: 6 });
    await store.change({ key, from: reserved, to: changed });
    expect(await settle(key, reserved, 4)).toMatchObject({ written: false, spending: { reservations: [changed] } });
    expect((await settle(key, changed, 4)).written).toBe(true);
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
  });

  test("a settlement leaves the reservation of another attempt unchanged", async () => {
    const key = await admitted(aReservation("r1", { version: 1000 }));
    expect((await settle(key, reserved, 4)).written).toBe(false);
    expect(await table.of(key)).toMatchObject({ spent: 0, committed: 10, inflight: 1 });
  });

  test("a settlement of an unknown request creates no item", async () => {
    const key = aKey();
    expect((await settle(key, reserved, 3)).written).toBe(false);
    expect(await table.itemOf(key)).toBeUndefined();
  });

  test("a settlement is accepted even if others have spent the cap", async () => {
    const key = await admitted(reserved, aReservation("r2", { amount: 90 }));
    await settle(key, aReservation("r2", { amount: 90 }), 900);
    expect((await settle(key, reserved, 10)).spending).toMatchObject({ spent: 910, committed: 910, inflight: 0 });
  });

  test.each(["throttle", "conflict"] as const)(
    "a settlement is tried again after a %s; one without end is an outage",
    async (kind) => {
      const key = await admitted(reserved);
      table.strike({ operation: "UpdateItem", when: "before", kind, times: 99 });
      await expect(settle(key, reserved, 4)).rejects.toMatchObject({ code: "store_unavailable" });
      table.strike({ operation: "UpdateItem", when: "before", kind, times: 2 });
      await settle(key, reserved, 4);
      expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
    },
  );
});

describe("a settlement of the overdraft", () => {
  test("a settlement of the overdraft commits its cost, and another call may overdraw", async () => {
    const key = await admitted(aReservation("r2"), holder);
    await settle(key, holder, 300);
    const spending = await table.of(key);
    expect(spending).toMatchObject({ spent: 300, committed: 310, inflight: 1, overdraft: undefined });
    expect(unsound(spending)).toEqual([]);
  });

  test("a settlement of an overdraft that has become a reservation needs the new version", async () => {
    const key = await admitted(holder);
    const inside = next(holder, { amount: 60, overdraft: false });
    await store.moveIn({ key, limits: theLimits(), from: holder, to: inside });
    expect((await settle(key, holder, 50)).written).toBe(false);
    expect((await settle(key, inside, 50)).spending).toMatchObject({ spent: 50, committed: 50, inflight: 0 });
  });

  test("a settlement of an overdraft does not end another call's overdraft", async () => {
    const key = await admitted(holder);
    await settle(key, holder, 1);
    const other = aReservation("r2", { amount: 500, overdraft: true });
    await store.admit({ key, limits: theLimits(), reservation: other });
    expect((await settle(key, holder, 1)).written).toBe(false);
    expect(await table.of(key)).toMatchObject({ overdraft: "r2", spent: 1 });
  });
});

test("calls of all kinds at the same time leave a consistent state, in which only spent money is committed", async () => {
  const key = aKey();
  const limits = theLimits({ maxInFlight: 64, cap: 200 });
  const reservations = Array.from({ length: 24 }, (_, index) =>
    aReservation(
      `r${index}`,
      index % 4 === 0 ? { amount: 500, overdraft: true } : { amount: index % 4 === 1 ? 0 : 20 },
    ),
  );
  const tries = await Promise.all(
    reservations.map((reservation) => table.single().admit({ key, limits, reservation })),
  );
  expect(unsound(await table.of(key))).toEqual([]);
  const held = reservations.filter((_, index) => tries[index]?.written);
  await Promise.all(held.map((each, index) => settle(key, each, index)));
  const spent = held.reduce((sum, _, index) => sum + index, 0);
  expect(await table.of(key)).toMatchObject({ spent, committed: spent, inflight: 0, overdraft: undefined });
});

describe("a tombstone", () => {
  const tombstone = { requestId: "r1", leaseEndsAt: now + 80_000 };

  test("a tombstone is written if the request has no reservation, is not counted anywhere, and is returned by later writes", async () => {
    const key = await admitted(aReservation("r2"));
    const { written, spending } = await store.putTombstone(key, tombstone);
    expect(written).toBe(true);
    expect(spending).toMatchObject({ committed: 10, inflight: 1, tombstones: [tombstone] });
    expect(unsound(spending)).toEqual([]);
    expect((await store.putTombstone(key, tombstone)).written).toBe(false);
  });

  test("a tombstone of a new caller creates an item with an expiry", async () => {
    const key = aKey();
    await store.putTombstone(key, tombstone);
    expect((await table.itemOf(key))?.expires_at).toBe(now / 1000 + 25 * 31 * 24 * 3600);
  });

  test("a tombstone does not replace a reservation, but returns it", async () => {
    const key = await admitted(reserved);
    const met = await store.putTombstone(key, tombstone);
    expect(met).toMatchObject({ written: false, spending: { reservations: [reserved], tombstones: [] } });
  });

  test("a tombstone cannot be settled, changed or filled", async () => {
    const key = aKey();
    await store.putTombstone(key, tombstone);
    const before = await table.itemOf(key);
    expect((await settle(key, reserved, 4)).written).toBe(false);
    expect((await store.change({ key, from: reserved, to: next(reserved) })).written).toBe(false);
    expect(await table.itemOf(key)).toEqual(before);
  });

  test("a tombstone is removed once, and a reservation is not removed this way", async () => {
    const key = await admitted(reserved);
    await store.putTombstone(key, { ...tombstone, requestId: "r2" });
    for (const requestId of ["r2", "r2", "r1", "nobody"]) await store.removeTombstone(key, requestId);
    expect(await table.of(key)).toMatchObject({ inflight: 1, reservations: [reserved], tombstones: [] });
  });
});
