import { crc32 } from "node:zlib";
import { CreateTableCommand, ExecuteStatementCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { AwsError } from "../../aws/service.ts";
import { dynamoDbRequest, type OpenDynamoDb, openDynamoDb, tableInputs } from "../support/dynamodb.ts";

const TableName = "main";
const Item = { pk: { S: "a" }, sk: { S: "b" } };

let db: OpenDynamoDb;

beforeEach(async () => {
  db = await openDynamoDb();
});

afterEach(() => db.close());

describe("an answer", () => {
  test("an answer of DynamoDB is AWS JSON 1.0 with its checksum, also for an error", async () => {
    const answer = await db.service.handle("PutItem", dynamoDbRequest("PutItem", { TableName, Item }));
    const failure = db.service.failure(new AwsError("ThrottlingException", "Slow down", 400, { More: 1 }));
    expect(JSON.parse(failure.body as string)).toEqual({
      __type: "ThrottlingException",
      message: "Slow down",
      More: 1,
    });
    for (const { headers, body } of [answer, failure]) {
      expect(headers).toEqual({
        "content-type": "application/x-amz-json-1.0",
        "x-amz-crc32": String(crc32(body as string)),
      });
    }
  });
});

describe("an operation", () => {
  test("an operation of DynamoDB is recognized by the target header, which must name this service", () => {
    expect(db.service.operation(dynamoDbRequest("Query", {}))).toBe("Query");
    const streams = { ...dynamoDbRequest("Query", {}), headers: { "x-amz-target": "DynamoDBStreams_20120810.Query" } };
    expect(() => db.service.operation(streams)).toThrow(AwsError);
    expect(() => db.service.operation({ ...streams, headers: {} })).toThrow("x-amz-target is missing");
  });

  test("an operation of DynamoDB that is not emulated is refused by name", async () => {
    const statement = db.client.send(new ExecuteStatementCommand({ Statement: "SELECT * FROM main" }));
    await expect(statement).rejects.toThrow("The local DynamoDB does not emulate ExecuteStatement");
    const creation = db.client.send(
      new CreateTableCommand({ TableName: "other", KeySchema: [], AttributeDefinitions: [] }),
    );
    await expect(creation).rejects.toThrow("The local DynamoDB does not emulate CreateTable");
  });
});

describe("a table declared again", () => {
  test("a table that is declared again keeps its items, and its settings follow the new declaration", async () => {
    await db.call("PutItem", { TableName, Item });
    await db.service.createTable({ ...tableInputs, ttl: { attributeName: "gone_at", enabled: true } });
    expect(await db.call("GetItem", { TableName, Key: Item })).toEqual({ Item });
    const expired = { ...Item, gone_at: { N: String(Math.floor(db.clock.now() / 1000) - 60) } };
    await db.call("PutItem", { TableName, Item: expired });
    expect(await db.service.sweep()).toBe(1);
  });

  test("a table that is declared again with other keys or indexes is refused, and the difference is named", async () => {
    const [index] = tableInputs.globalSecondaryIndexes;
    const globalSecondaryIndexes = [{ ...index, projectionType: "KEYS_ONLY" }];
    await expect(db.service.createTable({ ...tableInputs, globalSecondaryIndexes })).rejects.toThrow(
      "DynamoDB table main is kept from before with other keys: index gsi1 is",
    );
  });
});
