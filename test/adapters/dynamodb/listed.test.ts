import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hasKey } from "../../../adapters/dynamodb/client.ts";
import { listed } from "../../../adapters/dynamodb/listed.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { countedCalls } from "../../support/dynamodb/counted-calls.ts";
import { openStores, tableName } from "../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
const keyOf = (id: unknown) => ({ pk: `THING#${id}`, sk: "THING" });
const placeOf = (id: string) => ({ ...keyOf(id), gsi1_pk: "THINGS", gsi1_sk: id });

/** Nine things, and beside every third one another row that claims its place, before it or after it. */
beforeAll(async () => {
  opened = await openStores();
  const put = (Item: object) => opened.document.send(new PutCommand({ TableName: tableName, Item }));
  for (let n = 1; n <= 9; n++) {
    const thing = { ...placeOf(`t${n}`), id: `t${n}`, isOdd: n % 2 === 1 };
    await put(thing);
    if (n % 3 === 0) await put({ ...thing, pk: n % 2 === 0 ? "A" : "Z", sk: `planted ${n}` });
  }
});
afterAll(() => opened.close());

const page = (limit: number, after: string | undefined, filter?: { FilterExpression: string }) =>
  listed(
    rowsOf(opened.document, tableName),
    { pk: "THINGS", by: "index" },
    {
      limit,
      start: after === undefined ? undefined : placeOf(after),
      isListed: (item) => hasKey(item, keyOf(item.id)),
      ...(filter && { filter: { ...filter, ExpressionAttributeValues: { ":odd": true } } }),
    },
  );

async function all(limit: number, filter?: { FilterExpression: string }): Promise<string[]> {
  const found: string[] = [];
  for (let pages = 0; pages < 20; pages++) {
    const { items, isMore } = await page(limit, found.at(-1), filter);
    found.push(...items.map(({ id }) => String(id)));
    if (!isMore) return found;
    expect(items).toHaveLength(limit);
  }
  throw new Error("it does not come to an end");
}

test.each([1, 2, 3, 4, 9, 50])(
  "a listed item comes once and in order, by pages of %d, whatever lies between",
  async (limit) => {
    expect(await all(limit)).toEqual(["t9", "t8", "t7", "t6", "t5", "t4", "t3", "t2", "t1"]);
  },
);

test.each([1, 2, 5])("a listed item that passes a filter comes once, in pages of %d, in one call", async (limit) => {
  const more = { FilterExpression: "isOdd = :odd" };
  expect(await all(limit, more)).toEqual(["t9", "t7", "t5", "t3", "t1"]);
  expect(await countedCalls(opened.document, () => page(limit, undefined, more))).toBe(1);
});
