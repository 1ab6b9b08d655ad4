import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { activeKeysRecord } from "../../../../adapters/dynamodb/keys/active-keys.record.ts";
import { limitReader } from "../../../../adapters/dynamodb/notices/limits.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { openTableAccounting, type TableAccounting, tableName } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

const of = (callerId: string, tenantId = "t1") => ({ tenantId, callerId, month: "2026-11" });

test("budgets of people come from their grants, and of service accounts from their active keys, in one call for each page", async () => {
  await table.put({ ...grantRecord.key({ tenant_id: "t1", dev_sub: "ann" }), monthly_budget_usd: 12.5 });
  await table.put({ ...grantRecord.key({ tenant_id: "t2", dev_sub: "ann" }), monthly_budget_usd: 1 });
  await table.put({
    ...activeKeysRecord.key({ tenant_id: "t1", caller_id: "sa_1" }),
    active: 1,
    monthly_budget_usd: 3,
  });
  await table.put({
    ...activeKeysRecord.key({ tenant_id: "t1", caller_id: "sa_gone" }),
    active: 0,
    monthly_budget_usd: 3,
  });
  await table.put({ ...activeKeysRecord.key({ tenant_id: "t1", caller_id: "owner" }), active: 1 });
  await table.put({ ...grantRecord.key({ tenant_id: "t1", dev_sub: "broken" }), monthly_budget_usd: "much" });
  await table.grant("t1", { spent: 8_000, committed: 9_000 });
  const callers = [of("ann"), of("ann", "t2"), of("sa_1"), of("sa_gone"), of("owner"), of("broken")];
  table.calls.length = 0;
  const limits = await limitReader(rowsOf(table.document, tableName), { withCredit: true }).of(callers);
  expect(table.calls).toEqual(["BatchGetItem"]);
  expect(callers.map((caller) => limits.budget(caller))).toEqual([12.5e9, 1e9, 3e9, undefined, undefined, undefined]);
  expect(limits.credit("t1")).toEqual({ used: 8_000, limit: 10_000 });
  expect(limits.credit("t2")).toBeUndefined();
});

test("without billing there is no limit of free credit", async () => {
  await table.grant("t3", { spent: 8_000, committed: 9_000 });
  const limits = await limitReader(rowsOf(table.document, tableName), { withCredit: false }).of([of("ann", "t3")]);
  expect(limits.credit("t3")).toBeUndefined();
});
