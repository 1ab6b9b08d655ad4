import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import type { SpendingKey } from "../../../domain/spending/spending.ts";
import { openTableAccounting, type TableAccounting } from "../../support/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterEach(() => table.strike());
afterAll(() => table.close());

async function activeCallersOf(month: string): Promise<SpendingKey[]> {
  const found: SpendingKey[] = [];
  for await (const key of table.metering.activeCallers(month)) found.push(key);
  return found;
}

describe("who spent in a month", () => {
  test("is everyone who was admitted in it, and nobody else", async () => {
    const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
    for (const active of [key, { ...key, callerId: "other#one" }, { ...key, month: "2026-12" }]) {
      const rate = { burst: 3, perMinute: 60 };
      const limits = { cap: 1, enforcement: "spent", maxInFlight: 1, rate } as const;
      await table.spending.admit({ key: active, limits, reservation: undefined, nowMicros: 0 });
    }
    expect(await activeCallersOf("2026-11")).toEqual([key, { ...key, callerId: "other#one" }]);
    expect(await activeCallersOf("2026-12")).toHaveLength(1);
    expect(await activeCallersOf("2027-01")).toEqual([]);
  });

  test("is read to the end, page after page", async () => {
    const wide = "x".repeat(200_000);
    for (let index = 0; index < 12; index++) {
      const caller_id = `c${String(index).padStart(2, "0")}`;
      await table.put({ ...keys.activeCaller("t1", caller_id, "2030-01"), tenant_id: "t1", caller_id, wide });
    }
    table.calls.length = 0;
    expect(await activeCallersOf("2030-01")).toHaveLength(12);
    expect(table.calls.filter((operation) => operation === "Query").length).toBeGreaterThan(1);
  });
});

test("what a caller has reserved is read as it is at that moment", async () => {
  const key = { tenantId: "t2", callerId: "dev", month: "2026-11" };
  expect(await table.metering.spendingOf(key)).toMatchObject({ spent: 0, inflight: 0, reservations: [] });
  const stored = { reservedCost: 5, bounds: { input: 1, output: 1 }, admittedAt: 1, expiresAt: 2 };
  await table.put({
    ...keys.spending("t2", "dev", "2026-11"),
    spent: 1,
    committed: 6,
    inflight: 1,
    tat: 9,
    "r#a": stored,
  });
  expect(await table.metering.spendingOf(key)).toEqual({
    spent: 1,
    committed: 6,
    inflight: 1,
    tat: 9,
    reservations: [{ requestId: "a", ...stored }],
  });
});

describe("the progress of the rollups", () => {
  test("begins at nothing, moves on from where it is, and never back", async () => {
    const { progress } = table.metering;
    expect(await progress.get()).toBeUndefined();
    await progress.advance(undefined, "2026-11-21T04");
    expect(await progress.get()).toBe("2026-11-21T04");
    await progress.advance(undefined, "2026-11-20T00");
    await progress.advance("2026-11-21T03", "2026-11-21T03");
    expect(await progress.get()).toBe("2026-11-21T04");
    await progress.advance("2026-11-21T04", "2026-11-21T05");
    expect(await progress.get()).toBe("2026-11-21T05");
  });

  test("moves on once if the answer is lost", async () => {
    const { progress } = table.metering;
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    await progress.advance("2026-11-21T05", "2026-11-21T06");
    expect(await progress.get()).toBe("2026-11-21T06");
  });
});
