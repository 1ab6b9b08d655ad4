import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { adjustmentRecord } from "../../../../adapters/dynamodb/metering/adjustment.record.ts";
import { reportRecord } from "../../../../adapters/dynamodb/metering/report.record.ts";
import { table as schema } from "../../../../adapters/dynamodb/table.ts";
import { finalRow, type Outcome, provisionalRow } from "../../../../domain/budget/ledger-row.ts";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import type { SpendingKey } from "../../../../domain/budget/spending.ts";
import type { LedgerRow } from "../../../../domain/ledger/ledger.ts";
import { admitSingle } from "../../../support/accounting/single-admission.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

const hour = "2026-11-21T05";
const admittedAt = Date.parse(`${hour}:10:00Z`);
const facts = { modelOf: () => "claude-sonnet-5", clock: () => admittedAt + 60_000 };
const limits = { cap: 1_000, enforcement: "reserved", maxInFlight: 9, rate: { burst: 100, perMinute: 6_000 } } as const;

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterEach(() => table.strike());
afterAll(() => table.close());

let key: SpendingKey;
let tenants = 0;
beforeEach(async () => {
  tenants += 1;
  key = { tenantId: `t${tenants}`, callerId: "dev", month: "2026-11" };
  await table.grant(key.tenantId);
});

function aReservation(changes: Partial<Reservation> = {}): Reservation {
  return {
    ...{ requestId: "r1", amount: 100, version: 0, leaseEndsAt: admittedAt, overdraft: false, admittedAt },
    ...{ profile: "eu.anthropic.claude-sonnet-5", region: "eu-central-1", bounds: { input: 30, output: 70 } },
    onCredit: false,
    ...changes,
  };
}

async function admit(reservation: Reservation): Promise<Reservation> {
  const clock = () => admittedAt;
  expect(await admitSingle(table.spending, { key, limits, reservation }, clock)).toMatchObject({ written: true });
  return reservation;
}

const usage = { input: 5, output: 7, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
const truth: Outcome = { usage, source: "final", cost: 12, session_id: "s1", agent_id: "a1" };
const provisional = (reservation: Reservation) => provisionalRow(facts, key, reservation);
const reclaim = (reservation: Reservation) => table.transactions.reclaim(key, reservation, provisional(reservation));
const rowOf = async (reservation: Reservation) => (await table.ledger.get(provisional(reservation))) as LedgerRow;

async function correct(standing: LedgerRow, reservation: Reservation, own?: Reservation): Promise<boolean> {
  return table.transactions.correct(key, { standing, truth: finalRow(facts, key, reservation, truth) }, own);
}

const report = (state: object) => table.put({ ...reportRecord.key({ tenant_id: key.tenantId, hour }), ...state });
const adjustmentOf = (id = "r1") => table.read(adjustmentRecord.key({ tenant_id: key.tenantId, id }));
const spending = () => table.of(key);

describe("a reclaim", () => {
  test("a reclaim writes a ledger row with the reserved amount, and settles the reservation with that amount", async () => {
    const reservation = await admit(aReservation());
    expect(await reclaim(reservation)).toBe(true);
    expect(await rowOf(reservation)).toEqual(provisional(reservation));
    expect(await spending()).toMatchObject({ spent: 100, committed: 100, inflight: 0, reservations: [] });
  });

  test("a reclaim ends an overdraft, whose amount was never committed", async () => {
    const reservation = await admit(aReservation({ amount: 5_000, overdraft: true }));
    expect((await spending()).overdraft).toBe("r1");
    expect(await reclaim(reservation)).toBe(true);
    expect(await spending()).toMatchObject({ spent: 5_000, committed: 5_000, overdraft: undefined, inflight: 0 });
  });

  test("a reclaim charges the reservation's upper bounds to the free credit", async () => {
    const reservation = await admit(aReservation({ onCredit: true }));
    expect(await table.creditOf(key.tenantId)).toMatchObject({ spent: 0, committed: 100 });
    expect(await reclaim(reservation)).toBe(true);
    expect(await table.creditOf(key.tenantId)).toMatchObject({ spent: 100, committed: 100, reservations: [] });
    expect((await rowOf(reservation)).on_credit).toBe(true);
  });

  test("a reclaim does not charge free credit if the tenant has none", async () => {
    const reservation = await admit(aReservation({ onCredit: true }));
    await table.put({ ...creditRecord.key({ tenant_id: key.tenantId }), granted_tokens: 0, spent: 0, committed: 0 });
    expect(await reclaim(reservation)).toBe(true);
    expect(await spending()).toMatchObject({ spent: 100, inflight: 0 });
    expect(await table.creditOf(key.tenantId)).toMatchObject({ spent: 0, committed: 0 });
  });

  test.each([
    ["the reservation has changed since", async () => aReservation({ version: 1 })],
    ["the reservation is gone", async () => aReservation({ requestId: "gone" })],
  ])("a reclaim writes nothing if %s", async (_, seen) => {
    await admit(aReservation());
    const reservation = await seen();
    expect(await reclaim(reservation)).toBe(false);
    expect(await rowOf(reservation)).toBeUndefined();
    expect(await spending()).toMatchObject({ spent: 0, committed: 100, inflight: 1 });
  });

  test("a reclaim writes nothing if the request already has a ledger row", async () => {
    const reservation = await admit(aReservation());
    const row = await table.ledger.putIfAbsent(finalRow(facts, key, reservation, truth));
    expect(await reclaim(reservation)).toBe(false);
    expect(await rowOf(reservation)).toEqual(row);
    expect(await spending()).toMatchObject({ spent: 0, inflight: 1 });
  });

  test("a reclaim is booked once if its answer is lost, or if another transaction conflicts with it", async () => {
    const reservation = await admit(aReservation());
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "conflict" });
    expect(await reclaim(reservation)).toBe(true);
    expect(await spending()).toMatchObject({ spent: 100, committed: 100, inflight: 0 });
    expect(await reclaim(reservation)).toBe(false);
  });
});

test("reclaiming a second attempt adds its amount to the ledger row of the first", async () => {
  await admit(aReservation());
  await reclaim(aReservation());
  const second = await admit(aReservation({ version: 1_000, amount: 40, bounds: { input: 1, output: 2 } }));
  const standing = await rowOf(second);
  expect(await table.transactions.reclaimAgain(key, second, standing)).toBe(true);
  expect(await rowOf(second)).toMatchObject({ cost: 140, usage: { input: 31, output: 72 }, provisional: true });
  expect(await spending()).toMatchObject({ spent: 140, committed: 140, inflight: 0 });
  expect(await table.transactions.reclaimAgain(key, second, standing)).toBe(false);
});

test("when two attempts of a call are reclaimed, the known part of both is billed", async () => {
  await admit(aReservation({ known: 50 }));
  await reclaim(aReservation({ known: 50 }));
  const second = await admit(aReservation({ version: 1_000, amount: 40, known: 30 }));
  expect(await table.transactions.reclaimAgain(key, second, await rowOf(second))).toBe(true);
  expect(await rowOf(second)).toMatchObject({ cost: 140, known: { cost: 80 } });
});

describe("a correction", () => {
  test("a correction replaces the ledger row by the true usage once, and books the difference", async () => {
    const reservation = await admit(aReservation());
    await reclaim(reservation);
    const standing = await rowOf(reservation);
    expect(await correct(standing, reservation)).toBe(true);
    expect(await rowOf(reservation)).toEqual(finalRow(facts, key, reservation, truth));
    expect(await spending()).toMatchObject({ spent: 12, committed: 12 });
    expect(await correct(standing, reservation)).toBe(false);
    expect(await spending()).toMatchObject({ spent: 12, committed: 12 });
    expect(await adjustmentOf()).toBeUndefined();
  });

  test("a correction books nothing if the cost of the ledger row has changed meanwhile", async () => {
    const reservation = await admit(aReservation());
    await reclaim(reservation);
    expect(await correct({ ...(await rowOf(reservation)), cost: 99 }, reservation)).toBe(false);
    expect(await spending()).toMatchObject({ spent: 100 });
  });

  test("a correction of a reported hour leaves the report unchanged, and records the difference as an adjustment", async () => {
    const reservation = await admit(aReservation());
    await reclaim(reservation);
    await report({ state: "open" });
    expect(await correct(await rowOf(reservation), reservation)).toBe(true);
    expect(await rowOf(reservation)).toEqual({ ...finalRow(facts, key, reservation, truth), billed: 100 });
    expect(await spending()).toMatchObject({ spent: 12, committed: 12 });
    expect(await adjustmentOf()).toMatchObject({ tenant_id: key.tenantId, id: "r1", hour, difference: -88 });
    expect(await adjustmentOf()).toHaveProperty(schema.activeIndex.partitionKey);
  });

  test("a correction bills the rest if the report contained only the known part of the call", async () => {
    const reservation = await admit(aReservation({ known: 5 }));
    await reclaim(reservation);
    expect(await rowOf(reservation)).toMatchObject({ cost: 100, known: { cost: 5, tokens: 30 } });
    await report({ state: "open" });
    expect(await correct(await rowOf(reservation), reservation)).toBe(true);
    expect(await rowOf(reservation)).toEqual({ ...finalRow(facts, key, reservation, truth), billed: 5 });
    expect(await spending()).toMatchObject({ spent: 12, committed: 12 });
    expect(await adjustmentOf()).toMatchObject({ difference: 7 });
  });

  test("a correction gives back free credit, and records no adjustment for that part", async () => {
    const reservation = await admit(aReservation({ onCredit: true }));
    await reclaim(reservation);
    await report({ state: "open" });
    expect(await correct(await rowOf(reservation), reservation)).toBe(true);
    expect(await table.creditOf(key.tenantId)).toMatchObject({ spent: 12, committed: 12 });
    expect(await rowOf(reservation)).toMatchObject({ on_credit: true, cost: 12 });
    expect(await adjustmentOf()).toMatchObject({ difference: 0 });
  });

  test("a correction records no adjustment for a call that was admitted before the platform billed", async () => {
    const reservation = await admit(aReservation({ onPlatform: true, known: 5 }));
    await reclaim(reservation);
    expect(await rowOf(reservation)).toMatchObject({ on_platform: true, provisional: true, cost: 100 });
    await report({ state: "open" });
    // The proxy of now bills, and settles a call of before.
    expect(await correct(await rowOf(reservation), { ...reservation, onPlatform: false })).toBe(true);
    expect(await rowOf(reservation)).toMatchObject({ on_platform: true, cost: 12, billed: 0 });
    expect(await spending()).toMatchObject({ spent: 12, committed: 12 });
    expect(await adjustmentOf()).toMatchObject({ difference: 0 });
  });

  test.each([false, true])(
    "a correction also removes another attempt's reservation, on credit: %s",
    async (onCredit) => {
      await admit(aReservation({ onCredit }));
      await reclaim(aReservation({ onCredit }));
      const own = await admit(aReservation({ version: 1_000, amount: 40, onCredit }));
      expect(await correct(await rowOf(own), own, own)).toBe(true);
      expect(await rowOf(own)).toMatchObject({ version: 1_000, cost: 12 });
      expect(await spending()).toMatchObject({ spent: 12, committed: 12, inflight: 0, reservations: [] });
      const tokens = onCredit ? 12 : 0;
      expect(await table.creditOf(key.tenantId)).toMatchObject({ spent: tokens, committed: tokens, reservations: [] });
    },
  );

  test("a correction writes nothing if another attempt's reservation has changed since it was read", async () => {
    await admit(aReservation());
    await reclaim(aReservation());
    const own = await admit(aReservation({ version: 1_000, amount: 40 }));
    expect(await correct(await rowOf(own), own, { ...own, version: 1_001 })).toBe(false);
    expect(await rowOf(own)).toMatchObject({ provisional: true, cost: 100 });
    expect(await spending()).toMatchObject({ spent: 100, committed: 140, inflight: 1 });
  });

  test("a correction and a report that is opened at the same time take account of each other", async () => {
    for (let round = 0; round < 8; round++) {
      const reservation = await admit(aReservation({ requestId: `race${round}` }));
      await reclaim(reservation);
      const standing = await rowOf(reservation);
      await Promise.all([correct(standing, reservation), table.reports.open(key.tenantId, hour)]);
      const [row, carry] = [await rowOf(reservation), await adjustmentOf(`race${round}`)];
      expect(row.cost).toBe(12);
      expect(row.billed !== undefined).toBe(carry !== undefined);
    }
  });
});
