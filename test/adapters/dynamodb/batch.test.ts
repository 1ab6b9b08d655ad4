import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { batchGet } from "../../../adapters/dynamodb/batch.ts";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { spendingReader } from "../../../adapters/dynamodb/budget/spending-reader.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { tenantStore } from "../../../adapters/dynamodb/workspace/tenants.ts";
import { openTableAccounting, type TableAccounting, tableName } from "../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

test("a batch read finds each item by its key, a hundred in a call, and leaves out missing items", async () => {
  const wanted = Array.from({ length: 201 }, (_, index) => tenantRecord.key({ tenant_id: `t${index}` }));
  for (const key of wanted.slice(1)) await table.put({ ...key, name: key.pk });
  table.calls.length = 0;
  const { item, isWhole } = await batchGet(table.document, tableName, wanted);
  expect(table.calls).toEqual(["BatchGetItem", "BatchGetItem", "BatchGetItem"]);
  expect(isWhole).toBe(true);
  expect(wanted.map((key) => item(key)?.name)).toEqual([undefined, ...wanted.slice(1).map(({ pk }) => pk)]);
});

test("a batch read of no items makes no call", async () => {
  table.calls.length = 0;
  await batchGet(table.document, tableName, []);
  expect(table.calls).toEqual([]);
});

test("a batch read that stays throttled is an outage, never an empty result", async () => {
  const throttled = {
    send: async ({ input }: { input: { RequestItems: object } }) => ({ UnprocessedKeys: input.RequestItems }),
  } as unknown as DynamoDBDocumentClient;
  expect((await batchGet(throttled, tableName, [tenantRecord.key({ tenant_id: "t1" })])).isWhole).toBe(false);
  const outage = { code: "store_unavailable" };
  await expect(spendingReader(rowsOf(throttled, tableName)).of("t1", ["dev"], "2026-11")).rejects.toMatchObject(outage);
  await expect(tenantStore(rowsOf(throttled, tableName)).many(["t1"])).rejects.toMatchObject(outage);
});

test("spending is read by caller and month, and a caller without an item has spent nothing", async () => {
  await table.put({
    ...spendingRecord.key({ tenant_id: "s1", caller_id: "dev", month: "2026-11" }),
    spent: 5,
    committed: 7,
    inflight: 0,
    tat: 0,
  });
  const reader = spendingReader(rowsOf(table.document, tableName));
  const spentBy = await reader.of("s1", ["dev", "new"], "2026-11");
  expect([spentBy("dev").spent, spentBy("new").spent]).toEqual([5, 0]);
  expect((await reader.of("s1", ["dev"], "2026-12"))("dev").spent).toBe(0);
});
