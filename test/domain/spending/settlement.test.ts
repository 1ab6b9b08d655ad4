import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Reservation } from "../../../domain/spending/reservation.ts";
import { outcomeAtBounds, Settlements } from "../../../domain/spending/settlement.ts";
import { costing } from "../../support/admissions.ts";
import { FakeTime } from "../../support/fake-time.ts";
import { MemoryAccounting } from "../../support/memory-accounting.ts";

const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
const reservation: Reservation = {
  requestId: "r1",
  reservedCost: 10,
  bounds: { input: 40, output: 3 },
  admittedAt: Date.parse("2026-11-30T23:59:59.999Z"),
  expiresAt: Date.parse("2026-12-01T00:16:00Z"),
  model: "claude-sonnet-5",
  profile: "eu.anthropic.claude-sonnet-5",
  region: "eu-central-1",
};
const limits = { cap: 100, enforcement: "reserved", maxInFlight: 4, rate: { burst: 3, perMinute: 60 } } as const;

let accounting: MemoryAccounting;
let settlements: Settlements;
beforeEach(async () => {
  const time = new FakeTime("2026-12-01T00:00:07.000Z");
  accounting = new MemoryAccounting();
  settlements = new Settlements({ ledger: accounting, spending: accounting, clock: time.clock });
  await accounting.admit({ key, limits, reservation, nowMicros: 1 });
  accounting.calls.length = 0;
});

describe("settlement", () => {
  test("writes the ledger row first, then turns the reservation into what was spent", async () => {
    await settlements.settle({ key, reservation }, costing(7, 12));
    expect(accounting.calls).toEqual(["putIfAbsent", "settle"]);
    expect(accounting.rows.get("r1")).toEqual({
      tenant_id: "t1",
      caller_id: "dev",
      request_id: "r1",
      admitted_at: "2026-11-30T23:59:59.999Z",
      settled_at: "2026-12-01T00:00:07.000Z",
      model: "claude-sonnet-5",
      profile: "eu.anthropic.claude-sonnet-5",
      region: "eu-central-1",
      ...costing(7, 12),
    });
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("that dies after the row is completed at the row's cost, by a repetition or by a reclaim", async () => {
    accounting.disturb = (call) => {
      if (call === "settle") throw new Error("killed");
    };
    await expect(settlements.settle({ key, reservation }, costing(7))).rejects.toThrow("killed");
    expect(accounting.of(key)).toMatchObject({ spent: 0, committed: 10 });
    accounting.disturb = () => {};
    await settlements.reclaim(key, reservation);
    await settlements.settle({ key, reservation }, costing(7));
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
    expect(accounting.rows.size).toBe(1);
  });

  test("after somebody else's takes over the cost of the row that stands", async () => {
    const others: Promise<void>[] = [];
    accounting.disturb = (call, when) => {
      if (call !== "putIfAbsent" || when !== "before") return;
      // A reclaim comes before the row is written.
      accounting.disturb = () => {};
      others.push(settlements.reclaim(key, reservation));
    };
    await settlements.settle({ key, reservation }, costing(7));
    await Promise.all(others);
    expect(accounting.of(key).spent).toBe(accounting.rows.get("r1")?.cost);
  });

  test("of a call without a reservation does nothing", async () => {
    await settlements.settle({ key, reservation: undefined }, costing(7));
    await settlements.release({ key, reservation: undefined });
    expect(accounting.calls).toEqual([]);
  });
});

test("a release gives everything back and leaves no row", async () => {
  await settlements.release({ key, reservation });
  expect(accounting.of(key)).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
  expect(accounting.rows.size).toBe(0);
});

test("what nobody knows the cost of is settled at its bounds, marked as estimated", async () => {
  await settlements.reclaim(key, reservation);
  expect(accounting.rows.get("r1")).toMatchObject(outcomeAtBounds(reservation));
  expect(outcomeAtBounds(reservation)).toEqual({
    source: "estimated",
    cost: 10,
    usage: { input: 40, output: 3, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
  });
});

test("the free credit is charged for the row's tokens of all kinds", async () => {
  const settled: number[] = [];
  accounting.settle = async ({ tokens }) => void settled.push(tokens);
  const usage = { input: 1, output: 20, cache_read: 300, cache_write_5m: 4_000, cache_write_1h: 50_000 };
  await settlements.settle({ key, reservation }, { usage, source: "drained", cost: 3 });
  await settlements.reclaim(key, { ...reservation, requestId: "r2" });
  await settlements.release({ key, reservation });
  expect(settled).toEqual([54_321, 43, 0]);
});
