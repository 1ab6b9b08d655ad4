import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

const first = { month: "2026-11", spent: 10 };
const second = { month: "2026-11", spent: 20 };

test("a tenant is marked as capped, marked again and unmarked, and the rest of its row is unchanged", async () => {
  const row = { ...tenantRecord.key({ tenant_id: "t1" }), name: "Acme", monthly_cap_usd: 10 };
  await table.put(row);
  expect(await table.caps.of("t1")).toEqual({ monthly_cap_usd: 10 });
  await table.caps.mark("t1", { from: undefined, to: first });
  expect(await table.caps.of("t1")).toEqual({ monthly_cap_usd: 10, capped_month: first });
  await table.caps.mark("t1", { from: first, to: second });
  expect(await table.read(tenantRecord.key({ tenant_id: "t1" }))).toEqual({ ...row, capped_month: second });
  await table.caps.mark("t1", { from: second, to: undefined });
  expect(await table.read(tenantRecord.key({ tenant_id: "t1" }))).toEqual(row);
});

test("when two jobs mark a cap, the slower one changes nothing", async () => {
  await table.put({ ...tenantRecord.key({ tenant_id: "t2" }), capped_month: second });
  for (const from of [undefined, first]) {
    for (const to of [undefined, first]) await table.caps.mark("t2", { from, to });
  }
  expect((await table.caps.of("t2"))?.capped_month).toEqual(second);
});

test("a tenant that was purged cannot be marked as capped, and its row does not come back", async () => {
  await table.caps.mark("gone", { from: undefined, to: first });
  expect(await table.caps.of("gone")).toBeUndefined();
  expect(await table.read(tenantRecord.key({ tenant_id: "gone" }))).toBeUndefined();
});
