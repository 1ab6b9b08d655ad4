import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { rollupRecord } from "../../../../adapters/dynamodb/ledger/rollup.record.ts";
import type { Rollup } from "../../../../domain/ledger/rollup.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

async function listed(...of: Parameters<TableAccounting["rollups"]["list"]>): Promise<Rollup[]> {
  const rollups: Rollup[] = [];
  for await (const page of table.rollups.list(...of)) rollups.push(...page);
  return rollups;
}

function aRollup(hour: string, changes: Partial<Rollup> = {}): Rollup {
  return {
    tenant_id: "t1",
    hour,
    caller_id: "dev",
    model: "claude-sonnet-5",
    requests: 1,
    estimated_requests: 0,
    cost: 10,
    billable_cost: 8,
    unbilled_cost: 1,
    credit: 3,
    estimated_cost: 0,
    input_cost: 2,
    output_cost: 3,
    cache_read_cost: 1,
    cache_write_5m_cost: 4,
    cache_write_1h_cost: 0,
    saved: -3,
    input: 1,
    output: 2,
    cache_read: 3,
    cache_write_5m: 4,
    cache_write_1h: 5,
    ...changes,
  };
}

test("rollups are read as they were written, including both ends of the requested time, across months", async () => {
  const hours = ["2026-10-31T23", "2026-11-01T00", "2026-11-30T23", "2026-12-01T00", "2027-01-01T00"];
  await table.rollups.put(
    hours.map((hour) => aRollup(hour)),
    1,
  );
  expect(await listed("t1", "2026-10-31T23", "2027-01-01T00")).toEqual(hours.map((hour) => aRollup(hour)));
  const inside = await listed("t1", "2026-11-01T00", "2026-12-01T00");
  expect(inside.map(({ hour }) => hour)).toEqual(hours.slice(1, 4));
  expect(await listed("t1", "2026-11-02T00", "2026-11-30T22")).toEqual([]);
  expect(await listed("t2", "2026-10-31T23", "2027-01-01T00")).toEqual([]);
});

test("rollups can be read by days instead of hours", async () => {
  await table.rollups.put(
    ["2026-11-09T23", "2026-11-10T00", "2026-11-10T23", "2026-11-11T00"].map((hour) =>
      aRollup(hour, { tenant_id: "days" }),
    ),
    1,
  );
  const day = await listed("days", "2026-11-10", "2026-11-10");
  expect(day.map(({ hour }) => hour)).toEqual(["2026-11-10T00", "2026-11-10T23"]);
});

test("each caller and model of an hour has its own rollup, whatever their names are", async () => {
  const rollups = [
    aRollup("2026-11-21T05", { tenant_id: "names", caller_id: "a" }),
    aRollup("2026-11-21T05", { tenant_id: "names", caller_id: "a", model: "claude-haiku-4-5" }),
    aRollup("2026-11-21T05", { tenant_id: "names", caller_id: "~ü" }),
  ];
  await table.rollups.put(rollups, 1);
  const found = await listed("names", "2026-11-21T05", "2026-11-21T05");
  expect(found).toHaveLength(3);
  expect(found).toEqual(expect.arrayContaining(rollups));
});

test("writing an hour's rollups again replaces the earlier ones", async () => {
  await table.rollups.put([aRollup("2026-11-21T05", { tenant_id: "again", cost: 1 })], 1);
  await table.rollups.put([aRollup("2026-11-21T05", { tenant_id: "again", cost: 2 })], 2);
  expect((await listed("again", "2026-11-21T05", "2026-11-21T05")).map(({ cost }) => cost)).toEqual([2]);
});

test("rollups are read without the ledger's rows, and an hour without rollups is no error", async () => {
  const put = (cost: number, readAt: number) =>
    table.rollups.put([aRollup("2026-11-21T05", { tenant_id: "stale", cost })], readAt);
  await put(2, 20);
  await put(1, 10);
  expect((await listed("stale", "2026-11-21T05", "2026-11-21T05")).map(({ cost }) => cost)).toEqual([2]);
});

test("a rollup lives 25 months", async () => {
  const rollup = aRollup("2026-11-21T05", { tenant_id: "life" });
  await table.rollups.put([rollup], 1);
  const item = await table.read(rollupRecord.key(rollup));
  expect(item?.expires_at).toBe(Date.parse("2026-11-21T05:00:00Z") / 1000 + 25 * 31 * 24 * 3600);
});
