import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import { DynamoDb } from "../../dynamodb/dynamodb.ts";
import { callDynamoDb, type OpenDynamoDb, openDynamoDb, tableInputs } from "../support/dynamodb.ts";

type Actions = NonNullable<TransactWriteCommandInput["TransactItems"]>;

const TableName = "main";
const key = (pk: string) => ({ pk, sk: "a" });
const attributes = (pk: string) => ({ pk: { S: pk }, sk: { S: "a" } });
const add = (pk: string, amount = 1) => ({
  TableName,
  Key: key(pk),
  UpdateExpression: "ADD balance :amount",
  ExpressionAttributeValues: { ":amount": amount },
});
/** A transaction with a token, in DynamoDB's JSON. */
const rawRequest = {
  TransactItems: [
    {
      Update: {
        TableName,
        Key: attributes("a"),
        UpdateExpression: "ADD balance :amount",
        ExpressionAttributeValues: { ":amount": { N: "1" } },
      },
    },
  ],
  ClientRequestToken: "token",
};

let db: OpenDynamoDb;

beforeEach(async () => {
  db = await openDynamoDb();
});

afterEach(() => db.close());

const write = (actions: Actions, token?: string) =>
  db.document.send(new TransactWriteCommand({ TransactItems: actions, ClientRequestToken: token }));
const item = async (pk: string) => (await db.document.send(new GetCommand({ TableName, Key: key(pk) }))).Item;
const reasons = async (refused: Promise<unknown>) => {
  const error = await refused.then(() => undefined).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(TransactionCanceledException);
  return (error as TransactionCanceledException).CancellationReasons;
};

describe("a transaction that writes", () => {
  test("a transaction can put, update, delete and check items, and index entries follow", async () => {
    await db.document.send(new PutCommand({ TableName, Item: { ...key("gone"), gsi1_pk: "g", gsi1_sk: "1" } }));
    await db.document.send(new PutCommand({ TableName, Item: { ...key("checked"), state: "open" } }));
    await write([
      { Put: { TableName, Item: { ...key("put"), gsi1_pk: "g", gsi1_sk: "2" } } },
      { Update: add("updated", 5) },
      { Delete: { TableName, Key: key("gone") } },
      {
        ConditionCheck: {
          TableName,
          Key: key("checked"),
          ConditionExpression: "#s = :open",
          ExpressionAttributeNames: { "#s": "state" },
          ExpressionAttributeValues: { ":open": "open" },
        },
      },
    ]);
    expect(await item("updated")).toEqual({ ...key("updated"), balance: 5 });
    expect(await item("gone")).toBeUndefined();
    expect(await item("checked")).toEqual({ ...key("checked"), state: "open" });
    const { Items } = await db.document.send(
      new QueryCommand({
        TableName,
        IndexName: "gsi1",
        KeyConditionExpression: "gsi1_pk = :g",
        ExpressionAttributeValues: { ":g": "g" },
      }),
    );
    expect(Items).toEqual([{ ...key("put"), gsi1_pk: "g", gsi1_sk: "2" }]);
  });

  test("a transaction changes nothing if one condition fails, and gives a reason for each action in order", async () => {
    await db.document.send(new PutCommand({ TableName, Item: { ...key("taken"), owner: "eva" } }));
    const taken = { TableName, Item: key("taken"), ConditionExpression: "attribute_not_exists(pk)" };
    const refused = write([
      { Put: { TableName, Item: key("new") } },
      { Put: { ...taken, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } },
      { Update: add("other") },
    ]);
    await expect(refused).rejects.toThrow(
      "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, None]",
    );
    expect(await reasons(refused)).toEqual([
      { Code: "None" },
      {
        Code: "ConditionalCheckFailed",
        Message: "The conditional request failed",
        Item: { ...attributes("taken"), owner: { S: "eva" } },
      },
      { Code: "None" },
    ]);
    expect(await item("new")).toBeUndefined();
    expect(await item("other")).toBeUndefined();
  });

  test("a cancelled transaction returns the item in the reason only if requested", async () => {
    await db.document.send(new PutCommand({ TableName, Item: key("taken") }));
    const taken = { TableName, Item: key("taken"), ConditionExpression: "attribute_not_exists(pk)" };
    expect(await reasons(write([{ Put: taken }]))).toEqual([
      { Code: "ConditionalCheckFailed", Message: "The conditional request failed" },
    ]);
  });

  test("a transaction is cancelled with a ValidationError for a key of the wrong type, and for an impossible update", async () => {
    const wrongType = write([{ Put: { TableName, Item: { pk: 1, sk: "a" } } }, { Update: add("a") }]);
    expect(await reasons(wrongType)).toEqual([
      {
        Code: "ValidationError",
        Message: "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N",
      },
      { Code: "None" },
    ]);
    await db.document.send(new PutCommand({ TableName, Item: { ...key("text"), balance: "many" } }));
    expect(await reasons(write([{ Update: add("text") }]))).toMatchObject([{ Code: "ValidationError" }]);
  });

  test("a transaction is refused as a whole if it names an item twice, an empty key or an unknown table, or has too few or too many actions", async () => {
    const put = (pk: string) => ({ Put: { TableName, Item: key(pk) } });
    const twice = write([put("a"), { Delete: { TableName, Key: key("a") } }]);
    await expect(twice).rejects.toThrow("Transaction request cannot include multiple operations on one item");
    await expect(write([put("")])).rejects.toMatchObject({ name: "ValidationException" });
    await expect(write([])).rejects.toThrow("Member must have length greater than or equal to 1");
    const many = Array.from({ length: 101 }, (_, index) => put(`item ${index}`));
    await expect(write(many)).rejects.toThrow("Member must have length less than or equal to 100");
    await expect(write([{ Put: { TableName: "absent", Item: key("a") } }])).rejects.toMatchObject({
      name: "ResourceNotFoundException",
      message: "Requested resource not found",
    });
    const both = { ...put("a"), Delete: { TableName, Key: key("b") } };
    await expect(write([both])).rejects.toThrow("TransactItems can only contain one of");
    const syntax = { ConditionCheck: { TableName, Key: key("a"), ConditionExpression: "attribute_exists(" } };
    await expect(write([syntax])).rejects.toThrow("Invalid ConditionExpression: Syntax error");
  });

  test("a transaction can have 100 items, but not more than 4 MB", async () => {
    const put = (pk: string, size: number) => ({ Put: { TableName, Item: { ...key(pk), text: "x".repeat(size) } } });
    await write(Array.from({ length: 100 }, (_, index) => put(`item ${index}`, 10)));
    expect(await item("item 99")).toBeDefined();
    const large = write(Array.from({ length: 11 }, (_, index) => put(`large ${index}`, 390_000)));
    await expect(large).rejects.toThrow("exceeds 4 MB");
    expect(await item("large 0")).toBeUndefined();
  });
});

describe("a ClientRequestToken", () => {
  test("a ClientRequestToken makes the same transaction take effect once", async () => {
    await write([{ Update: add("a") }], "token");
    await write([{ Update: add("a") }], "token");
    expect(await item("a")).toEqual({ ...key("a"), balance: 1 });
  });

  test("a ClientRequestToken is refused with another transaction", async () => {
    await write([{ Update: add("a") }], "token");
    await expect(write([{ Update: add("a", 2) }], "token")).rejects.toMatchObject({
      name: "IdempotentParameterMismatchException",
    });
  });

  test("a ClientRequestToken is refused while its transaction is in progress", async () => {
    const first = db.call("TransactWriteItems", rawRequest);
    await expect(db.call("TransactWriteItems", rawRequest)).rejects.toMatchObject({
      code: "TransactionInProgressException",
    });
    await first;
    expect(await item("a")).toEqual({ ...key("a"), balance: 1 });
  });

  test("a ClientRequestToken can be used again after ten minutes, or if its transaction was cancelled", async () => {
    await write([{ Update: add("a") }], "token");
    db.clock.advance(10 * 60 * 1000);
    await db.service.sweep();
    await write([{ Update: add("a") }], "token");
    expect(await item("a")).toEqual({ ...key("a"), balance: 2 });

    const needsB = { Update: { ...add("a"), ConditionExpression: "attribute_exists(flag)" } };
    await expect(write([needsB], "second")).rejects.toThrow("ConditionalCheckFailed");
    await db.document.send(new PutCommand({ TableName, Item: { ...key("a"), flag: true } }));
    await write([needsB], "second");
    expect(await item("a")).toEqual({ ...key("a"), flag: true, balance: 1 });
  });

  test("a ClientRequestToken is stored in the folder, so that it survives a restart", async () => {
    const path = await mkdtemp(join(tmpdir(), "dynamodb-"));
    for (let opened = 0; opened < 2; opened += 1) {
      const kept = await DynamoDb.open({ clock: new Clock(), path });
      await kept.createTable(tableInputs);
      await callDynamoDb(kept, "TransactWriteItems", rawRequest);
      const { Item } = await callDynamoDb(kept, "GetItem", { TableName, Key: attributes("a") });
      expect(Item.balance).toEqual({ N: "1" });
      await kept.close();
    }
    await rm(path, { recursive: true });
  });
});
