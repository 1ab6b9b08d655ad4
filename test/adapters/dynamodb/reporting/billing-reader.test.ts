import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { creditReader } from "../../../../adapters/dynamodb/budget/credits.ts";
import { billingReader } from "../../../../adapters/dynamodb/reporting/billing-reader.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

test("a workspace's free credit is read, and a missing row means that there is none", async () => {
  const Item = { ...creditRecord.key({ tenant_id: "t1" }), granted_tokens: 10_000, spent: 1_200, committed: 1_500 };
  await opened.document.send(new PutCommand({ TableName: tableName, Item }));
  const rows = rowsOf(opened.document, tableName);
  const reader = billingReader(rows, creditReader(rows));
  expect(await reader.credit("t1")).toEqual({ granted: 10_000, spent: 1_200, committed: 1_500 });
  expect(await reader.credit("t2")).toEqual({ granted: 0, spent: 0, committed: 0 });
});
