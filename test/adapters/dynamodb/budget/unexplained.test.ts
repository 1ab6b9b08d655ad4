// What nobody explains, in the table: counted once an hour, on the report and the owner's row.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { allowanceRecord } from "../../../../adapters/dynamodb/budget/allowance.record.ts";
import { reportRecord } from "../../../../adapters/dynamodb/metering/report.record.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

const hour = "2026-11-21T05";

async function workspace(tenantId: string, ownerSub: string, tier = "starter") {
  await table.put({ ...tenantRecord.key({ tenant_id: tenantId }), owner_sub: ownerSub, tier });
  return (from: number, to: number, of = hour) => table.unexplained.count(tenantId, of, { ownerSub, from, to });
}

test("counting an hour of unexplained calls replaces its earlier count, however many count it at once", async () => {
  const count = await workspace("t1", "ada");
  expect(await Promise.all([count(0, 45), count(0, 45), count(0, 45)])).toEqual(
    expect.arrayContaining([true, false, false]),
  );
  expect(await table.unexplained.counted("t1", hour)).toBe(45);
  expect(await count(45, 5)).toBe(true);
  await count(0, 7, "2026-12-01T00");
  expect((await table.allowances.read("ada")).unexplained?.byMonth).toEqual(
    new Map([
      ["2026-11", 5],
      ["2026-12", 7],
    ]),
  );
});

test("the report of an hour whose unexplained calls were counted can be frozen, and keeps the count", async () => {
  const count = await workspace("t2", "bea");
  await count(0, 45);
  expect(await table.reports.freeze({ tenantId: "t2", hour, value: 3 })).toBe("frozen");
  expect(await table.read(reportRecord.key({ tenant_id: "t2", hour }))).toMatchObject({ value: 3, unexplained: 45 });
});

test("unexplained calls are not counted for a purged workspace, so that no row of its owner comes back", async () => {
  expect(await table.unexplained.count("gone", hour, { ownerSub: "cleo", from: 0, to: 9 })).toBe(false);
  expect(await table.unexplained.ownerOf("gone")).toBeUndefined();
  expect(await table.read(allowanceRecord.key({ owner_sub: "cleo" }))).toBeUndefined();
});

test("an owner can draw only the part of the limit that is not used by unexplained calls", async () => {
  const count = await workspace("t3", "dora");
  await count(0, 700);
  const key = { tenantId: "t3", callerId: "dev", month: "2026-11" };
  const draw = (need: number) => table.spending.draw({ ownerSub: "dora", need, key, trialCap: 1_000, spent: 0 });
  // A fifth, 200, comes back, so that 500 stay drawn.
  expect(await draw(501)).toEqual({ drawn: false, left: 500 });
  expect(await draw(500)).toEqual({ drawn: true, slice: 500 });
});

test("a workspace is marked for unexplained calls and unmarked, and its owner is notified with the mark", async () => {
  await workspace("t4", "eve", "pro");
  await table.unexplained.mark("t4", "2026-11");
  expect(await table.unexplained.ownerOf("t4")).toMatchObject({ owner_sub: "eve", unexplained_month: "2026-11" });
  await table.unexplained.mark("t4", undefined);
  expect((await table.unexplained.ownerOf("t4"))?.unexplained_month).toBeUndefined();
  await table.unexplained.mark("none", "2026-11");
  expect(await table.read(tenantRecord.key({ tenant_id: "none" }))).toBeUndefined();
});
