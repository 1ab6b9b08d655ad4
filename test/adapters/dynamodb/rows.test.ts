import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Range, type Rows, rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { absent, follows, setting } from "../../../adapters/dynamodb/write.ts";
import { openStores, tableName } from "../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let rows: Rows;
beforeAll(async () => {
  opened = await openStores();
  rows = rowsOf(opened.document, tableName);
});
afterAll(() => opened.close());

test("a versioned row is written only if its version follows the stored one", async () => {
  const write = (version: number) => rows.put({ pk: "VERSIONED#1", sk: "ROW", version }, follows(version));
  expect([await write(2), await write(1), await write(1), await write(3), await write(2)]).toEqual([
    ...[false, true, false, false, true],
  ]);
  expect(await rows.get({ pk: "VERSIONED#1", sk: "ROW" })).toMatchObject({ version: 2 });
});

test.each<[string, Omit<Range, "pk">, string[]]>([
  ["a partition", {}, ["a1", "a2", "b1", "c1"]],
  ["sort keys with a prefix", { prefix: "a" }, ["a1", "a2"]],
  ["sort keys up to one, which is included", { upTo: "b1" }, ["a1", "a2", "b1"]],
  ["sort keys between two, which are included", { from: "a2", upTo: "b1" }, ["a2", "b1"]],
])("a range is %s, in order, in the table as in an index", async (_name, bounds, expected) => {
  for (const sk of ["c1", "a2", "b1", "a1"]) {
    await rows.put({ pk: "RANGE#1", sk, gsi1_pk: "INDEX#1", gsi1_sk: sk });
  }
  const inTable = await rows.all({ pk: "RANGE#1", ...bounds }, { Limit: 1 });
  const inIndex = await rows.all({ pk: "INDEX#1", by: "index", ...bounds });
  expect([inTable.map(({ sk }) => sk), inIndex.map(({ sk }) => sk)]).toEqual([expected, expected]);
});

test("a transaction writes everything, or nothing and says which condition failed", async () => {
  const put = (sk: string) => ({ Put: { Item: { pk: "TOGETHER#1", sk }, ...absent } });
  expect(await rows.transact([put("a"), put("b")])).toBeUndefined();
  expect(await rows.transact([put("c"), put("b")])).toBe(1);
  expect(await rows.get({ pk: "TOGETHER#1", sk: "c" })).toBeUndefined();
});

test("an update sets the attributes that have a value and removes the others", async () => {
  const key = { pk: "SET#1", sk: "ROW" };
  await rows.put({ ...key, name: "old", status: "active" });
  await rows.update(key, setting({ name: "new", status: undefined }));
  expect(await rows.get(key)).toEqual({ ...key, name: "new" });
  await rows.update(key, setting({ name: undefined }));
  expect(await rows.get(key)).toEqual(key);
});
