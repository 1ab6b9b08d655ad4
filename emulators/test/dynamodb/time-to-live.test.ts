import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OpenDynamoDb, openDynamoDb } from "../support/dynamodb.ts";

const TableName = "main";
const minute = 60_000;

let db: OpenDynamoDb;

beforeEach(async () => {
  db = await openDynamoDb();
});

afterEach(() => db.close());

const inSeconds = (seconds: number) => Math.floor(db.clock.now() / 1000) + seconds;
const key = (pk: string) => ({ pk, sk: "a" });
const put = (pk: string, others: object = {}) =>
  db.document.send(new PutCommand({ TableName, Item: { ...key(pk), gsi1_pk: "g", gsi1_sk: pk, ...others } }));
const isThere = async (pk: string) =>
  (await db.document.send(new GetCommand({ TableName, Key: key(pk) }))).Item !== undefined;
const indexed = async () => {
  const { Items = [] } = await db.document.send(
    new QueryCommand({
      TableName,
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1_pk = :g",
      ExpressionAttributeValues: { ":g": "g" },
    }),
  );
  return Items.map((item) => item.pk);
};

describe("an item whose time to live is over", () => {
  test("an item whose time to live has ended is read until the sweep, which deletes it with its index entry", async () => {
    await put("short", { expires_at: inSeconds(60) });
    await put("long", { expires_at: inSeconds(600) });
    await put("forever");
    expect(await db.service.sweep()).toBe(0);

    db.clock.advance(2 * minute);
    expect(await isThere("short")).toBe(true);
    expect(await db.service.sweep()).toBe(1);
    expect(await isThere("short")).toBe(false);
    expect(await indexed()).toEqual(["forever", "long"]);

    db.clock.advance(10 * minute);
    expect(await db.service.sweep()).toBe(1);
    expect(await indexed()).toEqual(["forever"]);
  });

  test("a sweep that runs while the database closes ends before it, without an error", async () => {
    for (let item = 0; item < 20; item++) await put(`short-${item}`, { expires_at: inSeconds(60) });
    db.clock.advance(2 * minute);
    const sweeps = [db.service.sweep(), db.service.sweep()];
    await db.service.close();
    await expect(Promise.all(sweeps)).resolves.toEqual([expect.any(Number), 0]);
  });

  test("an expired item is found by a later sweep, also if it was written or changed after an earlier sweep", async () => {
    await put("far", { expires_at: inSeconds(6000) });
    await db.service.sweep();
    await put("near", { expires_at: inSeconds(60) });
    await db.document.send(
      new UpdateCommand({
        TableName,
        Key: key("far"),
        UpdateExpression: "SET expires_at = :at",
        ExpressionAttributeValues: { ":at": inSeconds(30) },
      }),
    );
    db.clock.advance(2 * minute);
    expect(await db.service.sweep()).toBe(2);
  });

  test("an expired item stays while a transaction holds it, until the next sweep", async () => {
    await put("held", { expires_at: inSeconds(60) });
    db.clock.advance(2 * minute);
    const check = {
      TableName,
      Key: { pk: { S: "held" }, sk: { S: "a" } },
      ConditionExpression: "attribute_exists(pk)",
    };
    const transaction = db.call("TransactWriteItems", { TransactItems: [{ ConditionCheck: check }] });
    expect(await db.service.sweep()).toBe(0);
    await transaction;
    expect(await db.service.sweep()).toBe(1);
  });

  test("an item is kept if its time to live is not a number of seconds, or is more than five years ago", async () => {
    await put("text", { expires_at: "1" });
    await put("ancient", { expires_at: 1 });
    expect(await db.service.sweep()).toBe(0);
    expect(await indexed()).toEqual(["ancient", "text"]);
  });
});
