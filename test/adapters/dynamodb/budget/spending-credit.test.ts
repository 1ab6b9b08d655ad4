// The writes of a tenant that spends its free credit: each is one transaction over the caller's item and the credit.
import { describe, expect, test } from "@jest/globals";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { stored } from "../../../../adapters/dynamodb/budget/stored-reservation.ts";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import type { Limits, SpendingKey } from "../../../../domain/budget/spending.ts";
import {
  aKey,
  aReservation,
  next,
  spendingSuite,
  theLimits,
  unsound,
} from "../../../support/accounting/spending-table.ts";

const { table, store } = spendingSuite();

/** A reservation of this many tokens. */
function drawing(id: string, tokens: number, changes: Partial<Reservation> = {}): Reservation {
  return aReservation(id, { onCredit: true, bounds: { input: tokens - 1, output: 1 }, ...changes });
}

async function granted(credit: Record<string, unknown> = {}): Promise<SpendingKey> {
  const key = aKey();
  await table.putCredit(key, credit);
  return key;
}

const admit = (key: SpendingKey, reservation: Reservation, limits: Partial<Limits> = {}, by = store) =>
  by.admit({ key, limits: theLimits(limits), reservation });
const settle = (key: SpendingKey, reservation: Reservation, tokens: number, cost = 4) =>
  store.settle({ key, reservation, cost, tokens });
const both = async (key: SpendingKey) => [await table.itemOf(key), await table.creditOf(key)];

describe("an admission", () => {
  test("an admission on free credit reserves on the caller's item and on the tenant's credit together", async () => {
    const key = await granted();
    const { written, spending, credit } = await admit(key, drawing("r1", 9_000));
    expect({ written, committed: spending.committed, inflight: spending.inflight }).toEqual({
      written: true,
      committed: 10,
      inflight: 1,
    });
    expect(credit).toEqual({
      granted: 10_000,
      spent: 0,
      committed: 9_000,
      reservations: [
        {
          requestId: "r1",
          callerId: "dev",
          month: "2026-11",
          tokens: 9_000,
          leaseEndsAt: drawing("r1", 1).leaseEndsAt,
        },
      ],
    });
    expect(await both(key)).toEqual([await table.itemOf(key), credit]);
  });

  test("an admission on free credit takes one transaction and two reads, and two more reads in an instance that has not read the credit yet", async () => {
    const key = await granted();
    const sent = ["GetItem", "GetItem", "TransactWriteItems"];
    table.calls.length = 0;
    await admit(key, drawing("r1", 900));
    expect(table.calls.toSorted()).toEqual(["GetItem", "GetItem", ...sent]);
    table.calls.length = 0;
    await admit(key, drawing("r2", 900));
    expect(table.calls.toSorted()).toEqual(sent);
  });

  test("an admission on free credit is accepted, to the token, up to the rest of the credit plus one more grant", async () => {
    const key = await granted({ spent: 9_999, committed: 9_999 });
    expect((await admit(key, drawing("r1", 10_002))).written).toBe(false);
    expect((await admit(key, drawing("r1", 10_001))).written).toBe(true);
  });

  test("an admission on free credit is refused once the credit is spent, by whichever caller", async () => {
    const key = await granted({ spent: 10_000, committed: 10_000 });
    const other = { ...key, callerId: "another" };
    expect(await admit(other, drawing("r2", 1))).toMatchObject({
      written: false,
      credit: { granted: 10_000, spent: 10_000 },
    });
    expect(await table.itemOf(other)).toBeUndefined();
  });

  test("an admission on free credit writes neither item if one of them refuses it", async () => {
    const key = await granted();
    await admit(key, drawing("r1", 15_000));
    const before = await both(key);
    expect((await admit(key, drawing("r2", 5_001))).written).toBe(false);
    expect((await admit(key, drawing("r2", 1), { maxInFlight: 1 })).written).toBe(false);
    expect((await admit(key, drawing("r2", 1, { amount: 91 }))).written).toBe(false);
    expect((await admit(key, drawing("r1", 1))).written).toBe(false);
    expect(await both(key)).toEqual(before);
  });

  test("an admission on free credit as an overdraft reserves credit like any other", async () => {
    const key = await granted();
    const overdraft = drawing("r1", 3_000, { amount: 500, overdraft: true });
    expect(await admit(key, overdraft)).toMatchObject({
      spending: { committed: 0, overdraft: "r1" },
      credit: { committed: 3_000 },
    });
    const inside = { ...next(overdraft, { amount: 60 }), overdraft: false };
    expect(await store.moveIn({ key, limits: theLimits(), from: overdraft, to: inside })).toMatchObject({
      written: true,
      spending: { committed: 60, overdraft: undefined },
      credit: { committed: 3_000, reservations: [{ leaseEndsAt: inside.leaseEndsAt }] },
    });
  });

  test("an admission on free credit reads its rate limit's state, although a transaction does not return it", async () => {
    const key = await granted();
    for (const id of ["r1", "r2", "r3"]) {
      expect((await admit(key, drawing(id, 100), {}, table.single())).written).toBe(true);
    }
  });

  test("reservations of other callers on free credit count until they are settled", async () => {
    const key = await granted();
    const other = { ...key, callerId: "another" };
    await admit(other, drawing("r1", 15_000));
    expect((await admit(key, drawing("r2", 6_000))).written).toBe(false);
    await settle(other, drawing("r1", 15_000), 100);
    expect((await admit(key, drawing("r2", 6_000))).written).toBe(true);
  });
});

test("simultaneous calls never use more than twice a tenant's free credit, by one caller or by many", async () => {
  const key = await granted();
  const asked = Array.from({ length: 24 }, (_, index) => ({
    key: { ...key, callerId: `caller-${index % 4}` },
    reservation: drawing(`r${index}`, 3_000),
  }));
  const admitted: typeof asked = [];
  // All are settled at their bound, and those who were refused ask again.
  for (let rounds = 0; rounds < 3; rounds++) {
    const left = asked.filter((each) => !admitted.includes(each));
    const limits = { maxInFlight: 64, cap: undefined };
    const tries = await Promise.all(
      left.map(({ key, reservation }) => admit(key, reservation, limits, table.single())),
    );
    const now = left.filter((_, index) => tries[index]?.written);
    expect((await table.creditOf(key)).committed).toBeLessThanOrEqual(20_000);
    for (const { key, reservation } of now) await settle(key, reservation, 3_000);
    admitted.push(...now);
  }
  const { spent, committed, reservations } = await table.creditOf(key);
  expect({ spent, committed, reservations }).toEqual({
    spent: admitted.length * 3_000,
    committed: admitted.length * 3_000,
    reservations: [],
  });
  expect(spent).toBeGreaterThanOrEqual(10_000);
  expect(spent).toBeLessThanOrEqual(20_000);
});

describe("a ticket", () => {
  const ticket = drawing("r1", 4_000, { amount: 0 });

  test("a ticket on free credit reserves no credit, and is renewed and settled without credit", async () => {
    const key = await granted();
    await store.read(key, { onCredit: true });
    table.calls.length = 0;
    expect(await admit(key, ticket)).toMatchObject({ written: true, spending: { inflight: 1 } });
    const renewed = next(ticket);
    expect((await store.change({ key, from: ticket, to: renewed })).written).toBe(true);
    expect((await settle(key, renewed, 0, 0)).written).toBe(true);
    expect(table.calls).toEqual(["UpdateItem", "UpdateItem", "UpdateItem"]);
    expect(await table.creditOf(key)).toMatchObject({ committed: 0, reservations: [] });
  });

  test("filling a ticket on free credit reserves credit and budget together, or neither", async () => {
    const key = await granted({ committed: 16_000 });
    await admit(key, ticket);
    const filled = next(ticket, { amount: 10 });
    const fill = () => store.fill({ key, limits: theLimits(), from: ticket, to: filled });
    expect(await fill()).toMatchObject({
      written: true,
      spending: { committed: 10, inflight: 1, reservations: [filled] },
      credit: { committed: 20_000, reservations: [{ requestId: "r1", tokens: 4_000 }] },
    });
    expect((await fill()).written).toBe(false);
    const full = await granted({ committed: 16_001 });
    await admit(full, ticket);
    const before = await both(full);
    expect((await store.fill({ key: full, limits: theLimits(), from: ticket, to: filled })).written).toBe(false);
    expect(await both(full)).toEqual(before);
  });
});

describe("a true-up", () => {
  const from = drawing("r1", 9_000);
  const to = next(from, { amount: 4, bounds: { input: 1_999, output: 1 } });

  test("a true-up on free credit gives back tokens and money together, and renews both leases", async () => {
    const key = await granted();
    await admit(key, from);
    expect(await store.change({ key, from, to })).toMatchObject({
      written: true,
      spending: { committed: 4, reservations: [to] },
      credit: { committed: 2_000, reservations: [{ tokens: 2_000, leaseEndsAt: to.leaseEndsAt }] },
    });
    const before = await both(key);
    expect((await store.change({ key, from, to })).written).toBe(false);
    expect(await both(key)).toEqual(before);
  });

  test("a true-up on free credit changes neither item if the reservation was settled meanwhile", async () => {
    const key = await granted();
    await admit(key, from);
    await settle(key, from, 100);
    const before = await both(key);
    expect(await store.change({ key, from, to })).toMatchObject({ written: false, spending: { reservations: [] } });
    expect(await both(key)).toEqual(before);
  });
});

describe("a settlement", () => {
  const reserved = drawing("r1", 9_000);

  test("a settlement on free credit counts once on both items, however often it is repeated", async () => {
    const key = await granted();
    await admit(key, reserved);
    const written = [];
    for (const tokens of [100, 100, 300]) written.push((await settle(key, reserved, tokens)).written);
    expect(written).toEqual([true, false, false]);
    expect(await table.creditOf(key)).toMatchObject({ spent: 100, committed: 100, reservations: [] });
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
  });

  test("a settlement on free credit writes both items or neither", async () => {
    const key = await granted();
    await admit(key, reserved);
    const before = await both(key);
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "cut", times: 9 });
    await expect(settle(key, reserved, 100)).rejects.toMatchObject({ code: "store_unavailable" });
    table.strike();
    expect(await both(key)).toEqual(before);
    await settle(key, reserved, 100);
    expect(await table.creditOf(key)).toMatchObject({ spent: 100, committed: 100 });
    expect(unsound(await table.of(key))).toEqual([]);
  });

  test("a settlement on free credit settles the caller even if the tenant's credit item is gone", async () => {
    const key = aKey();
    await table.putItem(key, {
      committed: 10,
      inflight: 1,
      "r#=r1": stored(reserved),
    });
    expect(await settle(key, reserved, 100)).toMatchObject({ written: true, spending: { spent: 4, inflight: 0 } });
    expect((await settle(key, reserved, 100)).written).toBe(false);
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
    expect(await table.read(creditRecord.key({ tenant_id: key.tenantId }))).toBeUndefined();
  });

  test("a settlement on free credit that meets a lasting conflict writes nothing, and succeeds when it is repeated", async () => {
    const key = await granted();
    await admit(key, reserved);
    const before = await both(key);
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "conflict", times: 5 });
    expect(await settle(key, reserved, 100)).toMatchObject({ written: false, spending: { reservations: [reserved] } });
    expect(await both(key)).toEqual(before);
    expect((await settle(key, reserved, 100)).written).toBe(true);
  });
});

describe("a call that costs nothing", () => {
  test("a call that costs nothing and meets endless conflicts returns the state, not an outage", async () => {
    const key = await granted();
    table.strike({ operation: "UpdateItem", when: "before", kind: "conflict", times: 14 });
    expect(await store.pass({ key, limits: theLimits(), onCredit: true })).toMatchObject({
      written: false,
      spending: { spent: 0 },
      credit: { spent: 0 },
    });
  });

  const pass = (key: SpendingKey) => store.pass({ key, limits: theLimits(), onCredit: true });

  test("a call that costs nothing on free credit reserves none, and is admitted while some is left, even if reserved by others", async () => {
    const key = await granted({ spent: 9_999, committed: 20_000 });
    expect(await pass(key)).toMatchObject({ written: true, credit: { spent: 9_999, committed: 20_000 } });
    expect(await table.creditOf(key)).toMatchObject({ spent: 9_999, committed: 20_000 });
  });

  test("a call that costs nothing on free credit is refused once the credit is spent, and is not counted in the rate limit", async () => {
    const key = await granted({ spent: 10_000, committed: 10_000 });
    expect(await pass(key)).toMatchObject({ written: false, credit: { granted: 10_000, spent: 10_000 } });
    expect(await table.itemOf(key)).toBeUndefined();
  });
});

test("a tenant without a credit item has no free credit", async () => {
  const key = aKey();
  const none = { written: false, credit: { granted: 0, spent: 0, committed: 0 } };
  expect(await admit(key, drawing("r1", 1))).toMatchObject(none);
  const passing = { key, limits: theLimits(), onCredit: true };
  expect(await store.pass(passing)).toMatchObject(none);
  expect(await table.itemOf(key)).toBeUndefined();
  expect(await table.read(creditRecord.key({ tenant_id: key.tenantId }))).toBeUndefined();
});

describe("when the store falters, an admission", () => {
  const reserved = drawing("r1", 9_000);

  test("an admission on free credit whose answer is lost is sent again as the same transaction, and counts once", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "after", kind: "cut" });
    expect(await admit(key, reserved)).toMatchObject({
      written: true,
      spending: { committed: 10, inflight: 1 },
      credit: { committed: 9_000 },
    });
  });

  test("an admission on free credit is tried again after a conflict", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "conflict", times: 2 });
    expect((await admit(key, reserved)).written).toBe(true);
  });

  test("an admission that meets a lasting conflict returns the state that others wrote, not an outage", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "conflict", times: 99 });
    expect(await admit(key, reserved)).toMatchObject({
      written: false,
      spending: { committed: 0, inflight: 0 },
      credit: { committed: 0 },
    });
    table.strike();
    expect((await admit(key, reserved)).written).toBe(true);
  });

  test("an admission that is throttled without end is an outage", async () => {
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "throttle", times: 99 });
    await expect(admit(await granted(), reserved)).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("an admission whose request the store calls malformed is an error, not a refusal", async () => {
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "error", code: "ValidationException" });
    await expect(admit(await granted(), reserved)).rejects.toMatchObject({ name: "ValidationException" });
  });

  test("an admission that was written but could not be read is found by the next attempt", async () => {
    const key = await granted();
    await store.read(key, { onCredit: true });
    table.strike({ operation: "GetItem", when: "before", kind: "cut", times: 6 });
    const found = await admit(key, reserved);
    expect(found).toMatchObject({ written: false, spending: { inflight: 1, reservations: [reserved] } });
  });
});
