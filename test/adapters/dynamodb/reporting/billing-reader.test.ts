import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { billingReader } from "../../../../adapters/dynamodb/reporting/billing-reader.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { keys } from "../../../../adapters/dynamodb/schema.ts";
import { openStores, tableName } from "../../../support/control-plane.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

const put = (item: object) => opened.document.send(new PutCommand({ TableName: tableName, Item: item }));

test("a workspace's free credit, and none where there is no row", async () => {
  await put({ ...keys.credit("t1"), granted_tokens: 10_000, spent: 1_200, committed: 1_500 });
  const reader = billingReader(rowsOf(opened.document, tableName));
  expect(await reader.credit("t1")).toEqual({ granted: 10_000, spent: 1_200 });
  expect(await reader.credit("t2")).toEqual({ granted: 0, spent: 0 });
});

test("what is not reported is what is frozen and not known to have arrived, in the months asked for", async () => {
  const reports = [
    ["2026-10-01T00", "unsent", 1],
    ["2026-11-01T00", "unsent", 10],
    ["2026-11-01T01", "sending", 100],
    ["2026-11-01T02", "taken", 1_000],
    ["2026-11-01T03", "counted", 10_000],
    ["2026-11-01T04", "open", undefined],
  ] as const;
  for (const [hour, state, value] of reports) {
    const quantity = ["sending", "taken", "counted"].includes(state) && { quantity: Number(value) * 2 };
    await put({ ...keys.report("t1", hour), hour, state, ...(value !== undefined && { value }), ...quantity });
  }
  const reader = billingReader(rowsOf(opened.document, tableName));
  expect(await reader.unreported("t1", ["2026-11"])).toBe(110);
  expect(await reader.unreported("t1", ["2026-10", "2026-11"])).toBe(111);
  expect(await reader.unreported("t2", ["2026-11"])).toBe(0);
  expect([await reader.reported("t1", "2026-11"), await reader.reported("t1", "2026-10")]).toEqual([22_000, 0]);
});
