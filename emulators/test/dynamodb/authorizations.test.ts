import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import { DynamoDb } from "../../dynamodb/dynamodb.ts";
import { callDynamoDb, dynamoDbRequest, tableInputs } from "../support/dynamodb.ts";

const table = "arn:aws:dynamodb:eu-central-1:000000000000:table/main";
const TableName = "main";
const key = (pk: string) => ({ pk: { S: pk }, sk: { S: "b" } });
const ofKeys = ["pk", "sk"];
/** The condition keys of a call, which names the attributes of the key and perhaps others. */
const leading = (keys: string[], others: string[] = []) => ({
  context: { "dynamodb:LeadingKeys": keys, "dynamodb:Attributes": [...ofKeys, ...others] },
});
const query = {
  TableName,
  KeyConditionExpression: "#p = :p",
  ExpressionAttributeNames: { "#p": "pk" },
  ExpressionAttributeValues: { ":p": { S: "a" } },
};

let service: DynamoDb;

beforeAll(async () => {
  service = await DynamoDb.open({ clock: new Clock() });
  await service.createTable(tableInputs);
});

afterAll(() => service.close());

const rights = (operation: string, body: unknown) =>
  service.authorizations(operation, dynamoDbRequest(operation, body));

test.each([
  ["GetItem", { Key: key("a") }, []],
  ["PutItem", { Item: { ...key("a"), x: { S: "y" } } }, ["x"]],
  ["UpdateItem", { Key: key("a"), UpdateExpression: "REMOVE x" }, ["x"]],
  ["DeleteItem", { Key: key("a") }, []],
])(
  "%s needs its right on the table for the item's partition key and the attributes named",
  (operation, body, others) => {
    expect(rights(operation, { TableName, ...body })).toEqual([
      { action: `dynamodb:${operation}`, resource: table, ...leading(["a"], others) },
    ]);
  },
);

test("Query needs its right on the table, or only on the index that it reads", () => {
  const context = (attribute: string) => ({ "dynamodb:LeadingKeys": ["a"], "dynamodb:Attributes": [attribute] });
  expect(rights("Query", query)).toEqual([{ action: "dynamodb:Query", resource: table, context: context("pk") }]);
  const onIndex = { ...query, IndexName: "gsi1", ExpressionAttributeNames: { "#p": "gsi1_pk" } };
  expect(rights("Query", onIndex)).toEqual([
    { action: "dynamodb:Query", resource: `${table}/index/gsi1`, context: context("gsi1_pk") },
  ]);
});

test("the rights for a Scan name no keys", () => {
  expect(rights("Scan", { TableName })).toEqual([{ action: "dynamodb:Scan", resource: table }]);
});

test("a batch needs one right for each table, which covers all of its partition keys", () => {
  const Keys = [key("a"), { ...key("a"), sk: { S: "c" } }, key("b")];
  expect(rights("BatchGetItem", { RequestItems: { main: { Keys } } })).toEqual([
    { action: "dynamodb:BatchGetItem", resource: table, ...leading(["a", "b"]) },
  ]);
  const writes = [{ PutRequest: { Item: key("a") } }, { DeleteRequest: { Key: key("b") } }];
  expect(rights("BatchWriteItem", { RequestItems: { main: writes } })).toEqual([
    { action: "dynamodb:BatchWriteItem", resource: table, ...leading(["a", "b"]) },
  ]);
});

test("a transaction needs the right of each of its actions, and no right of its own", () => {
  const update = { TableName, Key: key("b"), UpdateExpression: "REMOVE x" };
  const check = { TableName, Key: key("d"), ConditionExpression: "attribute_exists(pk)" };
  const TransactItems = [
    { Put: { TableName, Item: key("a") } },
    { Update: update },
    { Delete: { TableName, Key: key("c") } },
    { ConditionCheck: check },
  ];
  const right = (name: string, pk: string, ...others: string[]) => ({
    action: `dynamodb:${name}`,
    resource: table,
    ...leading([pk], others),
  });
  expect(rights("TransactWriteItems", { TransactItems })).toEqual([
    right("PutItem", "a"),
    right("UpdateItem", "b", "x"),
    right("DeleteItem", "c"),
    right("ConditionCheckItem", "d"),
  ]);
  expect(rights("TransactGetItems", { TransactItems: [{ Get: { TableName, Key: key("a") } }] })).toEqual([
    right("GetItem", "a"),
  ]);
});

test("rights on an unknown table are checked before the table is looked up", () => {
  expect(rights("GetItem", { TableName: "other", Key: key("a") })).toEqual([
    {
      action: "dynamodb:GetItem",
      resource: table.replace("main", "other"),
      context: { "dynamodb:Attributes": ofKeys },
    },
  ]);
});

test("an index that the table lacks has no leading keys, so a right by keys does not cover it", () => {
  expect(rights("Query", { ...query, IndexName: "gsi2" })).toEqual([
    {
      action: "dynamodb:Query",
      resource: `${table}/index/gsi2`,
      context: { "dynamodb:Attributes": ["pk"] },
    },
  ]);
});

test("an authorized request is carried out as it was authorized, also when it is repeated", async () => {
  await callDynamoDb(service, "PutItem", { TableName, Item: { ...key("a"), n: { N: "1" } } });
  const request = dynamoDbRequest("UpdateItem", {
    TableName,
    Key: key("a"),
    UpdateExpression: "SET n = n + :one",
    ExpressionAttributeValues: { ":one": { N: "1.0" } },
  });
  service.authorizations("UpdateItem", request);
  // Twice, since carrying a request out must not spoil it for whoever sends the same again.
  await service.handle("UpdateItem", request);
  await service.handle("UpdateItem", request);
  expect(await callDynamoDb(service, "GetItem", { TableName, Key: key("a") })).toEqual({
    Item: { ...key("a"), n: { N: "3" } },
  });
});
