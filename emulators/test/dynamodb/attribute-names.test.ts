import { expect, test } from "@jest/globals";
import { attributeNames } from "../../dynamodb/attribute-names.ts";
import { readRequest } from "../../dynamodb/requests.ts";

const Key = { pk: { S: "a" }, sk: { S: "b" } };
const one = { ":one": { N: "1" } };

function namesOf(operation: string, request: object): string[] {
  const read = readRequest(operation, Buffer.from(JSON.stringify({ TableName: "main", ...request })));
  return attributeNames(read).filter((name) => !(name in Key));
}

test("attribute names of keys count for rights", () => {
  const read = readRequest("GetItem", Buffer.from(JSON.stringify({ TableName: "main", Key })));
  expect(attributeNames(read)).toEqual(["pk", "sk"]);
});

test("rights for an item cover its top-level attributes, and not nested ones", () => {
  expect(namesOf("PutItem", { Item: { ...Key, a: { M: { b: { S: "c" } } }, d: { SS: ["e"] } } })).toEqual(["a", "d"]);
});

test.each([
  ["what it sets", "SET a = :one", ["a"]],
  ["the top of a path", "SET a.b[0].c = :one", ["a"]],
  ["what a value is taken from", "SET a = if_not_exists(b.c, :one) + d", ["a", "b", "d"]],
  ["what is appended", "SET a = list_append(b, c)", ["a", "b", "c"]],
  ["what it removes, adds and deletes", "REMOVE a, b.c ADD d :one", ["a", "b", "d"]],
])("the rights for an update cover %s", (_, UpdateExpression, names) => {
  const values = UpdateExpression.includes(":one") && { ExpressionAttributeValues: one };
  expect(namesOf("UpdateItem", { Key, UpdateExpression, ...values })).toEqual(names);
});

test.each([
  ["a = :one", ["a"]],
  [":one = a", ["a"]],
  ["a = b.c", ["a", "b"]],
  ["attribute_exists(a) AND NOT (attribute_not_exists(b) OR c <> :one)", ["a", "b", "c"]],
  ["a IN (b, :one) AND c BETWEEN d AND e", ["a", "b", "c", "d", "e"]],
  ["size(a) > :one AND contains(b, c) AND begins_with(d, e)", ["a", "b", "c", "d", "e"]],
])("the condition %s names the attributes that it compares", (ConditionExpression, names) => {
  const values = ConditionExpression.includes(":one") && { ExpressionAttributeValues: one };
  expect(namesOf("DeleteItem", { Key, ConditionExpression, ...values })).toEqual(names);
});

test("a placeholder stands for its attribute's name, even with dots", () => {
  const request = {
    Key,
    UpdateExpression: "SET #a = :one",
    ConditionExpression: "attribute_exists(#b)",
    ExpressionAttributeNames: { "#a": "tenant_role", "#b": "c.d" },
    ExpressionAttributeValues: one,
  };
  // Twice, since the second time dynalite's parsers are not asked.
  expect(namesOf("UpdateItem", request)).toEqual(["tenant_role", "c.d"]);
  expect(namesOf("UpdateItem", { ...request, ExpressionAttributeNames: { "#a": "x", "#b": "y" } })).toEqual(["x", "y"]);
});

test("the rights for a query cover keys, filter, projection and the key where it continues", () => {
  const request = {
    KeyConditionExpression: ":p = pk AND begins_with(sk, :p)",
    FilterExpression: "a.b = :p",
    ProjectionExpression: "c[1], d.e",
    ExclusiveStartKey: { ...Key, gsi1_pk: { S: "g" } },
    ExpressionAttributeValues: { ":p": { S: "a" } },
  };
  expect(namesOf("Query", request)).toEqual(["gsi1_pk", "c", "d", "a"]);
});

test.each([
  ["Query", { KeyConditions: { a: { ComparisonOperator: "EQ", AttributeValueList: [{ S: "x" }] } } }, ["a"]],
  [
    "Query",
    {
      KeyConditions: { a: { ComparisonOperator: "EQ", AttributeValueList: [{ S: "x" }] } },
      QueryFilter: { b: { ComparisonOperator: "NULL" } },
      AttributesToGet: ["c"],
    },
    ["a", "b", "c"],
  ],
  ["Scan", { ScanFilter: { a: { ComparisonOperator: "NULL" } } }, ["a"]],
  [
    "UpdateItem",
    { Key, AttributeUpdates: { a: { Action: "DELETE" } }, Expected: { b: { Exists: false } } },
    ["b", "a"],
  ],
])("the legacy parameters of %s count for rights as well", (operation, request, names) => {
  expect(namesOf(operation, request)).toEqual(names);
});
