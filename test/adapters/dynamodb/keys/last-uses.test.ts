import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { countedCalls } from "../../../support/dynamodb/counted-calls.ts";
import { openStores } from "../../../support/dynamodb/stores.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

test("the latest use of each key is stored, in whatever order instances report it", async () => {
  const { lastUses } = opened.stores;
  await Promise.all([3_000, 1_000, 2_000].map((at) => lastUses.put("a", at)));
  await lastUses.put("b", 5_000);
  expect(await lastUses.of(["a", "b", "never"])).toEqual(
    new Map([
      ["a", "1970-01-01T00:00:03.000Z"],
      ["b", "1970-01-01T00:00:05.000Z"],
    ]),
  );
});

test("reading the last uses of no keys makes no call, and of a page of keys one call", async () => {
  const { lastUses } = opened.stores;
  const ids = Array.from({ length: 100 }, (_, number) => `page${number}`);
  for (const id of ids.slice(0, 3)) await lastUses.put(id, 1);
  expect(await countedCalls(opened.document, () => lastUses.of([]))).toBe(0);
  const read = async () => expect((await lastUses.of(ids)).size).toBe(3);
  expect(await countedCalls(opened.document, read)).toBe(1);
});
