import { PutCommand, paginateQuery, paginateScan, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type OpenDynamoDb, openDynamoDb } from "../support/dynamodb.ts";

const TableName = "main";
const numbers = Array.from({ length: 250 }, (_, index) => String(index).padStart(3, "0"));

let db: OpenDynamoDb;

beforeAll(async () => {
  db = await openDynamoDb();
  const items = [
    ...numbers.map((sk) => ({ pk: "list", sk, gsi1_pk: "all", gsi1_sk: `x#${sk}`, even: Number(sk) % 2 === 0 })),
    { pk: "list2", sk: "000" },
  ];
  for (const Item of items) await db.document.send(new PutCommand({ TableName, Item }));
});

afterAll(() => db.close());

const list = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": "list" } };
const sortKeys = (items: Record<string, unknown>[] = []) => items.map((item) => item.sk);

async function collect(pages: AsyncIterable<{ Items?: Record<string, unknown>[] | undefined }>) {
  const found: unknown[] = [];
  for await (const { Items } of pages) found.push(...sortKeys(Items));
  return found;
}

describe("a query", () => {
  test("a query of DynamoDB returns only its partition, in order, or in reverse if requested", async () => {
    const forwards = await db.document.send(new QueryCommand({ TableName, ...list }));
    expect(sortKeys(forwards.Items)).toEqual(numbers);
    const backwards = await db.document.send(
      new QueryCommand({ TableName, ...list, ScanIndexForward: false, Limit: 2 }),
    );
    expect(sortKeys(backwards.Items)).toEqual(["249", "248"]);
  });

  test.each([
    ["sk > :a", ["248", "249"], { ":a": "247" }],
    ["sk >= :a", ["248", "249"], { ":a": "248" }],
    ["sk < :a", ["000", "001"], { ":a": "002" }],
    ["sk <= :a", ["000", "001"], { ":a": "001" }],
    ["sk = :a", ["100"], { ":a": "100" }],
    ["sk BETWEEN :a AND :b", ["010", "011"], { ":a": "010", ":b": "011" }],
    ["begins_with(sk, :a)", numbers.slice(240), { ":a": "24" }],
  ])("a query of DynamoDB is narrowed by %s", async (condition, expected, values) => {
    const { Items } = await db.document.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: `pk = :p AND ${condition}`,
        ExpressionAttributeValues: { ":p": "list", ...values },
      }),
    );
    expect(sortKeys(Items)).toEqual(expected);
  });

  test("a query of a DynamoDB index pages through each item once, in both directions, with and without a filter", async () => {
    // The paginators write into their input.
    const pages = (filter: object, values: object = {}) =>
      paginateQuery(
        { client: db.document, pageSize: 60 },
        {
          TableName,
          IndexName: "gsi1",
          KeyConditionExpression: "gsi1_pk = :all",
          ExpressionAttributeValues: { ":all": "all", ...values },
          ...filter,
        },
      );
    expect(await collect(pages({}))).toEqual(numbers);
    expect(await collect(pages({ ScanIndexForward: false }))).toEqual(numbers.toReversed());
    const even = pages({ FilterExpression: "even = :true" }, { ":true": true });
    expect(await collect(even)).toEqual(numbers.filter((_, index) => index % 2 === 0));
  });

  test("a query of an unknown DynamoDB index is refused, and the next query works", async () => {
    const broken = db.document.send(new QueryCommand({ TableName, ...list, IndexName: "absent" }));
    await expect(broken).rejects.toThrow("The table does not have the specified index: absent");
    expect((await db.document.send(new QueryCommand({ TableName, ...list, Limit: 1 }))).Count).toBe(1);
  });
});

test("a scan finds every item of the table", async () => {
  const found = await collect(paginateScan({ client: db.document, pageSize: 100 }, { TableName }));
  expect(found.toSorted()).toEqual([...numbers, "000"].toSorted());
});
