import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import { DynamoDb } from "../../dynamodb/dynamodb.ts";
import { callDynamoDb, type OpenDynamoDb, openDynamoDb, tableInputs } from "../support/dynamodb.ts";

const TableName = "main";
const key = (pk: string) => ({ pk, sk: "a" });
const attributes = (pk: string) => ({ pk: { S: pk }, sk: { S: "a" } });
const add = {
  TableName,
  Key: key("hot"),
  UpdateExpression: "ADD balance :amount",
  ExpressionAttributeValues: { ":amount": 1 },
};
/** The same in DynamoDB's JSON. */
const rawAdd = (pk: string) => ({
  ...add,
  Key: attributes(pk),
  ExpressionAttributeValues: { ":amount": { N: "1" } },
});
const rawTransaction = (...pks: string[]) => ({ TransactItems: pks.map((pk) => ({ Update: rawAdd(pk) })) });

let db: OpenDynamoDb;

beforeEach(async () => {
  db = await openDynamoDb();
});

afterEach(() => db.close());

const item = async (pk: string) => (await db.document.send(new GetCommand({ TableName, Key: key(pk) }))).Item;

describe("while a transaction is in progress on an item", () => {
  const conflict = { Code: "TransactionConflict", Message: "Transaction is ongoing for the item" };

  test("a transaction on an item that another transaction holds is cancelled at once", async () => {
    const first = db.call("TransactWriteItems", rawTransaction("a", "b"));
    await expect(db.call("TransactWriteItems", rawTransaction("c", "b"))).rejects.toMatchObject({
      code: "TransactionCanceledException",
      members: { CancellationReasons: [{ Code: "None" }, conflict] },
    });
    await first;
    expect(await item("b")).toEqual({ ...key("b"), balance: 1 });
    expect(await item("c")).toBeUndefined();
  });

  test("a plain write to an item in a transaction is refused, and reading the item is allowed", async () => {
    const transaction = db.call("TransactWriteItems", rawTransaction("a"));
    await expect(db.call("UpdateItem", rawAdd("a"))).rejects.toMatchObject({
      code: "TransactionConflictException",
      message: "Transaction is ongoing for the item",
    });
    expect(await db.call("GetItem", { TableName, Key: attributes("a") })).toEqual({});
    await transaction;
  });

  test("plain writes that came before a transaction are carried out first", async () => {
    const path = await mkdtemp(join(tmpdir(), "dynamodb-"));
    const disk = await DynamoDb.open({ clock: new Clock(), path });
    try {
      await disk.createTable(tableInputs);
      const plain = Array.from({ length: 500 }, () => callDynamoDb(disk, "UpdateItem", rawAdd("a")));
      await Promise.all([...plain, callDynamoDb(disk, "TransactWriteItems", rawTransaction("a"))]);
      const { Item } = await callDynamoDb(disk, "GetItem", { TableName, Key: attributes("a") });
      expect(Item.balance).toEqual({ N: "501" });
    } finally {
      await disk.close();
      await rm(path, { recursive: true });
    }
  });

  test("writes of competing callers to one item are counted exactly", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        index % 2
          ? db.document.send(new TransactWriteCommand({ TransactItems: [{ Update: add }] }))
          : db.document.send(new UpdateCommand(add)),
      ),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.name] : []));
    expect(new Set([...refusals, "TransactionCanceledException", "TransactionConflictException"]).size).toBe(2);
    expect(await item("hot")).toEqual({ ...key("hot"), balance: 40 - refusals.length });
  });
});
