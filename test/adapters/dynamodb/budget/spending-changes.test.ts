// The writes of a call that waits or runs: fill, true-up, renewal, move-in.
import { describe, expect, test } from "@jest/globals";
import { reservationName, stored } from "../../../../adapters/dynamodb/budget/stored-reservation.ts";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import type { CappedChangeWrite, SpendingKey, Written } from "../../../../domain/budget/spending.ts";
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

const limits = theLimits();
const ticket = aReservation("r1", { amount: 0 });
const filled = next(ticket, { amount: 10 });
const overdrawn = next(ticket, { amount: 500, overdraft: true });
const reserved = aReservation("r1");
const holder = aReservation("r1", { amount: 50, overdraft: true });

/** A caller with this reservation, beside what others have spent and reserved. */
async function caller(reservation: Reservation, item: Record<string, unknown> = {}): Promise<SpendingKey> {
  const key = aKey();
  const known = { spent: 20, committed: 60, inflight: 3, tat: 7, ...(reservation.overdraft && { overdraft: "=r1" }) };
  await table.putItem(key, { ...known, [reservationName("r1")]: stored(reservation), ...item });
  return key;
}

/** What is to hold of every refused write: nothing has changed, and the answer is what stands. */
async function refused(key: SpendingKey, write: () => Promise<Written>): Promise<Written> {
  const before = await table.itemOf(key);
  const result = await write();
  expect(result).toEqual({ written: false, spending: await table.of(key) });
  expect(await table.itemOf(key)).toEqual(before);
  return result;
}

describe("a fill", () => {
  test("filling a ticket gives it its amount; its call is in flight already", async () => {
    const key = await caller(ticket);
    const { written, spending } = await store.fill({ key, limits, from: ticket, to: filled });
    expect(written).toBe(true);
    expect(spending).toMatchObject({ spent: 20, committed: 70, inflight: 3, tat: 7, reservations: [filled] });
    expect(await table.of(key)).toEqual(spending);
  });

  test("filling a ticket is accepted up to the last nano-USD of the budget", async () => {
    const key = await caller(ticket);
    expect((await store.fill({ key, limits, from: ticket, to: { ...filled, amount: 40 } })).written).toBe(true);
  });

  test.each([
    ["it does not fit", { committed: 91 }],
    ["the cap is spent", { spent: 100, committed: 90 }],
    ["the ticket has changed", { [reservationName("r1")]: stored({ ...ticket, version: 1 }) }],
    ["another attempt has a ticket", { [reservationName("r1")]: stored({ ...ticket, version: 1000 }) }],
    ["the ticket is gone", { [reservationName("r1")]: undefined }],
    ["a tombstone stands for it", { [reservationName("r1")]: { n: -1, x: now } }],
  ])("filling a ticket is refused while %s", async (_name, item) => {
    const key = await caller(ticket, item);
    await refused(key, () => store.fill({ key, limits, from: ticket, to: filled }));
  });

  test("filling many tickets at once stays within the cap", async () => {
    const key = aKey();
    const tickets = Array.from({ length: 20 }, (_, index) => aReservation(`t${index}`, { amount: 0 }));
    const wide = theLimits({ maxInFlight: 64 });
    for (const reservation of tickets) await store.admit({ key, limits: wide, reservation });
    const fill = (from: Reservation, to: Partial<Reservation>) =>
      table.single().fill({ key, limits: wide, from, to: next(from, to) });
    await Promise.all(
      tickets.map((from, index) => fill(from, index % 2 ? { amount: 15 } : { amount: 300, overdraft: true })),
    );
    const state = await table.of(key);
    expect(state.committed).toBe(90);
    expect(state.reservations.filter(({ overdraft }) => overdraft)).toHaveLength(1);
    expect(unsound(state)).toEqual([]);
  });

  describe("without a bound in the budget", () => {
    const unbounded = (changes: Partial<CappedChangeWrite["limits"]>) => ({ limits: theLimits(changes), from: ticket });

    test("filling a ticket without a cap is accepted, whatever is committed", async () => {
      for (const changes of [{ cap: undefined }, { enforcement: "spent" as const }]) {
        const key = await caller(ticket, { committed: 5_000 });
        const { written, spending } = await store.fill({ key, ...unbounded(changes), to: filled });
        expect({ written, committed: spending.committed }).toEqual({ written: true, committed: 5_010 });
      }
    });

    test("filling a ticket with the enforcement `spent` is refused once the cap is spent", async () => {
      const key = await caller(ticket, { spent: 100, committed: 100 });
      await refused(key, () => store.fill({ key, ...unbounded({ enforcement: "spent" }), to: filled }));
    });
  });
});

describe("a fill that overdraws", () => {
  test("filling a ticket as an overdraft records its call and commits nothing", async () => {
    const key = await caller(ticket, { committed: 99 });
    const { written, spending } = await store.fill({ key, limits, from: ticket, to: overdrawn });
    expect(written).toBe(true);
    expect(spending).toMatchObject({ committed: 99, inflight: 3, overdraft: "r1", reservations: [overdrawn] });
  });

  test.each([
    ["the cap is committed", { committed: 100 }],
    ["somebody else overdraws", { overdraft: "=r0" }],
    ["the ticket has changed", { [reservationName("r1")]: stored({ ...ticket, version: 1 }) }],
  ])("filling a ticket as an overdraft is refused while %s", async (_name, item) => {
    const key = await caller(ticket, item);
    await refused(key, () => store.fill({ key, limits, from: ticket, to: overdrawn }));
  });
});

describe("a true-up", () => {
  const to = next(reserved, { amount: 4, bounds: { input: 12, output: 3 } });

  test("a true-up gives back the amount that the call can no longer cost, and renews the lease", async () => {
    const key = await caller(reserved);
    const { written, spending } = await store.change({ key, from: reserved, to });
    expect(written).toBe(true);
    expect(spending).toMatchObject({ spent: 20, committed: 54, inflight: 3, reservations: [to] });
  });

  test("a true-up is accepted whatever others have done to the budget", async () => {
    const key = await caller(reserved, { spent: 500, committed: 700, overdraft: "=r0" });
    expect((await store.change({ key, from: reserved, to })).written).toBe(true);
  });

  test("a true-up of the overdraft does not change the budget", async () => {
    const key = await caller(holder);
    const lower = next(holder, { amount: 30 });
    const { spending } = await store.change({ key, from: holder, to: lower });
    expect(spending).toMatchObject({ committed: 60, overdraft: "r1", reservations: [lower] });
  });

  test.each([
    ["it was done already, and its answer lost", next(reserved)],
    ["another attempt's reservation stands", aReservation("r1", { version: 1000 })],
  ])("a true-up changes nothing if %s", async (_name, standing) => {
    const key = await caller(standing);
    const { spending } = await refused(key, () => store.change({ key, from: reserved, to }));
    expect(spending.reservations).toEqual([standing]);
  });

  test("a true-up does not bring back a reclaimed reservation", async () => {
    const key = aKey();
    await table.putItem(key, { spent: 10, committed: 10, inflight: 0 });
    const { spending } = await refused(key, () => store.change({ key, from: reserved, to }));
    expect(spending.reservations).toEqual([]);
    const unknown = aKey();
    await refused(unknown, () => store.change({ key: unknown, from: reserved, to }));
    expect(await table.itemOf(unknown)).toBeUndefined();
  });

  test("a true-up whose answer is lost is sent again, counts once, and returns the stored state", async () => {
    const key = await caller(reserved);
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    const { written, spending } = await store.change({ key, from: reserved, to });
    expect(written).toBe(false);
    expect(spending).toMatchObject({ committed: 54, reservations: [to] });
  });
});

test("a renewal changes only the lease and the version", async () => {
  const key = await caller(reserved);
  const to = next(reserved);
  const { spending } = await store.change({ key, from: reserved, to });
  expect(spending).toMatchObject({ spent: 20, committed: 60, inflight: 3, reservations: [to] });
});

describe("a move-in", () => {
  const to = next(holder, { amount: 40, overdraft: false });

  test("a move-in turns the overdraft into a reservation, and another call may overdraw", async () => {
    const key = await caller(holder);
    const { written, spending } = await store.moveIn({ key, limits, from: holder, to });
    expect(written).toBe(true);
    expect(spending).toMatchObject({ spent: 20, committed: 100, inflight: 3, reservations: [to] });
    expect(spending.overdraft).toBeUndefined();
    expect((await table.itemOf(key))?.[reservationName("r1")]).not.toHaveProperty("o");
  });

  test("a move-in is always accepted if the cap was removed", async () => {
    const key = await caller(holder, { committed: 1e12 });
    expect((await store.moveIn({ key, limits: theLimits({ cap: undefined }), from: holder, to })).written).toBe(true);
  });

  test.each([
    ["it does not fit", { committed: 61 }],
    ["another call is the overdraft", { overdraft: "=r0" }],
    ["it has moved in already", { [reservationName("r1")]: stored(to) }],
  ])("a move-in is refused while %s", async (_name, item) => {
    const key = await caller(holder, item);
    await refused(key, () => store.moveIn({ key, limits, from: holder, to }));
  });

  test("a move-in whose answer is lost is sent again, and counts once", async () => {
    const key = await caller(holder);
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    const { spending } = await store.moveIn({ key, limits, from: holder, to });
    expect(spending).toMatchObject({ committed: 100, overdraft: undefined, reservations: [to] });
  });
});

test("limits that were lowered during a call apply at once to filling its ticket and to its move-in", async () => {
  const lowered = theLimits({ cap: 65 });
  const waiting = await caller(ticket);
  await refused(waiting, () => store.fill({ key: waiting, limits: lowered, from: ticket, to: filled }));
  const running = await caller(holder);
  const to = next(holder, { overdraft: false });
  await refused(running, () => store.moveIn({ key: running, limits: lowered, from: holder, to }));
});

test("a write waits for a conflicting transaction", async () => {
  const key = await caller(reserved);
  table.strike({ operation: "UpdateItem", when: "before", kind: "conflict", times: 2 });
  expect((await store.change({ key, from: reserved, to: next(reserved) })).written).toBe(true);
});
