import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConditionalCheckFailedException, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OpenDynamoDb, openDynamoDb } from "../support/dynamodb.ts";

const TableName = "main";
const Key = { pk: "a", sk: "b" };

let db: OpenDynamoDb;

beforeEach(async () => {
  db = await openDynamoDb();
});

afterEach(() => db.close());

const put = (item: object) => db.document.send(new PutCommand({ TableName, Item: { ...Key, ...item } }));
const stored = async () => (await db.document.send(new GetCommand({ TableName, Key }))).Item;
/** What a promise is rejected with; undefined if it is not. */
const thrown = (refused: Promise<unknown>) => refused.then(() => undefined).catch((error) => error);

describe("a condition", () => {
  test("a write whose condition holds is carried out", async () => {
    await put({ spent: 5 });
    const { Attributes } = await db.document.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: "SET #r = :held ADD spent :more",
        ConditionExpression: "attribute_not_exists(#r) AND (attribute_not_exists(spent) OR spent < :cap)",
        ExpressionAttributeNames: { "#r": "r#1" },
        ExpressionAttributeValues: { ":held": { reservedCost: 3 }, ":more": 3, ":cap": 10 },
        ReturnValues: "ALL_NEW",
      }),
    );
    expect(Attributes).toEqual({ ...Key, spent: 8, "r#1": { reservedCost: 3 } });
  });

  test.each([
    ["put", () => new PutCommand({ TableName, Item: Key, ...failing })],
    ["update", () => new UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE spent", ...failing })],
    ["delete", () => new DeleteCommand({ TableName, Key, ...failing })],
  ])(
    "a %s whose condition fails is refused in DynamoDB's words, with the old item if requested",
    async (_kind, command) => {
      await put({ spent: 5 });
      const error = await thrown(db.document.send(command() as PutCommand));
      expect(error).toBeInstanceOf(ConditionalCheckFailedException);
      expect(error).toMatchObject({
        message: "The conditional request failed",
        Item: { pk: { S: "a" }, sk: { S: "b" }, spent: { N: "5" } },
      });
      expect(await stored()).toEqual({ ...Key, spent: 5 });
    },
  );

  test("a write whose condition fails returns no item by default", async () => {
    const { ReturnValuesOnConditionCheckFailure: _, ...unasked } = failing;
    await put({ spent: 5 });
    const refusal = async (command: PutCommand | DeleteCommand) =>
      (await thrown(db.document.send(command as PutCommand))) as ConditionalCheckFailedException;
    const unwanted = await refusal(new DeleteCommand({ TableName, Key, ...unasked }));
    const without = await refusal(new PutCommand({ TableName, Item: { pk: "absent", sk: "b" }, ...failing }));
    for (const error of [unwanted, without]) {
      expect(error).toBeInstanceOf(ConditionalCheckFailedException);
      expect(error.Item).toBeUndefined();
    }
  });

  const failing = {
    ConditionExpression: "attribute_exists(absent)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
  };
});

test("simultaneous additions to the same counters are all counted", async () => {
  const path = await mkdtemp(join(tmpdir(), "dynamodb-"));
  const disk = await openDynamoDb({ path });
  try {
    const add = { TableName, UpdateExpression: "ADD hits :one, nano :many" };
    const command = new UpdateCommand({ ...add, Key, ExpressionAttributeValues: { ":one": 1, ":many": 7 } });
    const request = {
      ...add,
      Key: { pk: { S: "a" }, sk: { S: "b" } },
      ExpressionAttributeValues: { ":one": { N: "1" }, ":many": { N: "7" } },
    };
    const writers = Array.from({ length: 100 }, () => [disk.document.send(command), disk.call("UpdateItem", request)]);
    await Promise.all(writers.flat());
    const { Item } = await disk.document.send(new GetCommand({ TableName, Key }));
    expect(Item).toEqual({ ...Key, hits: 200, nano: 1400 });
  } finally {
    await disk.close();
    await rm(path, { recursive: true });
  }
});

test("an index shows an item at once, moves it if its key changes, and drops it if it loses the key", async () => {
  const found = async (partition: string) => {
    const { Items } = await db.document.send(
      new QueryCommand({
        TableName,
        IndexName: "gsi1",
        KeyConditionExpression: "gsi1_pk = :p",
        ExpressionAttributeValues: { ":p": partition },
      }),
    );
    return Items;
  };
  await put({ gsi1_pk: "one", gsi1_sk: "x" });
  expect(await found("one")).toEqual([{ ...Key, gsi1_pk: "one", gsi1_sk: "x" }]);
  await put({ gsi1_pk: "two", gsi1_sk: "x" });
  expect(await found("one")).toEqual([]);
  expect(await found("two")).toHaveLength(1);
  await db.document.send(new UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE gsi1_pk" }));
  expect(await found("two")).toEqual([]);
  expect(await stored()).toEqual({ ...Key, gsi1_sk: "x" });
});

test("a batch can read many items", async () => {
  const items = Array.from({ length: 24 }, (_, index) => ({ pk: "batch", sk: `${index}` }));
  for (const Item of items) await db.document.send(new PutCommand({ TableName, Item }));
  const read = await db.document.send(new BatchGetCommand({ RequestItems: { main: { Keys: items } } }));
  expect(read.Responses?.main).toHaveLength(24);
});

test("writing in batches is not emulated", async () => {
  const requests = [{ PutRequest: { Item: Key } }];
  await expect(db.document.send(new BatchWriteCommand({ RequestItems: { main: requests } }))).rejects.toThrow(
    "does not carry BatchWriteItem out",
  );
  expect(await stored()).toBeUndefined();
});

test("refusals have DynamoDB's names and words", async () => {
  const absent = await thrown(db.document.send(new GetCommand({ TableName: "absent", Key })));
  expect(absent).toBeInstanceOf(ResourceNotFoundException);
  expect(absent).toMatchObject({ message: "Requested resource not found" });
  await expect(db.document.send(new PutCommand({ TableName, Item: { pk: "a" } }))).rejects.toMatchObject({
    name: "ValidationException",
    message: "One or more parameter values were invalid: Missing the key sk in the item",
  });
  await expect(put({ text: "x".repeat(410_000) })).rejects.toMatchObject({
    name: "ValidationException",
    message: "Item size has exceeded the maximum allowed size",
  });
  await expect(db.document.send(new DeleteCommand({ TableName, Key: { pk: "a" } }))).rejects.toMatchObject({
    name: "ValidationException",
    message: "The provided key element does not match the schema",
  });
});
