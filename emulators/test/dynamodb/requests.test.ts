import { describe, expect, test } from "@jest/globals";
import { isOperation, readRequest } from "../../dynamodb/requests.ts";

const read = (operation: string, body: unknown) =>
  readRequest(operation, Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));
const Key = { pk: { S: "a" } };

test("an operation of DynamoDB that is not emulated is unknown", () => {
  expect(isOperation("TransactWriteItems")).toBe(true);
  for (const name of ["CreateTable", "ExecuteStatement", "toString"]) expect(isOperation(name)).toBe(false);
});

describe("a request", () => {
  test("a request to DynamoDB that is not a JSON object is refused", () => {
    for (const body of ["", "[1]", "{", "null"]) {
      expect(() => read("GetItem", body)).toThrow(expect.objectContaining({ code: "SerializationException" }));
    }
  });

  test("a request to DynamoDB with a member of the wrong type is refused in DynamoDB's words", () => {
    expect(() => read("GetItem", { TableName: 5, Key })).toThrow("NUMBER_VALUE cannot be converted to String");
    expect(() => read("GetItem", { Key })).toThrow("Value null at 'tableName' failed to satisfy constraint");
  });

  test.each([
    ["at the top", "GetItem", { TableName: "main", Key, Colour: 1 }, "Colour"],
    ["in a batch", "BatchGetItem", { RequestItems: { main: { Keys: [Key], Colour: 1 } } }, "RequestItems.Colour"],
    [
      "in a transaction",
      "TransactWriteItems",
      { TransactItems: [{ Delete: { TableName: "main", Key, ReturnValues: "ALL_OLD" } }] },
      "TransactItems.Delete.ReturnValues",
    ],
  ])("a request to DynamoDB with an unknown member %s is refused", (_where, operation, body, path) => {
    expect(() => read(operation, body)).toThrow(`${operation}: the local DynamoDB does not emulate ${path}`);
  });

  test("a request to DynamoDB can contain attributes of any name", () => {
    const Item = { ...Key, Colour: { M: { Shade: { S: "x" } } } };
    expect(read("PutItem", { TableName: "main", Item })).toMatchObject({ Item });
  });

  test("a request to DynamoDB for a transaction needs the expressions that its actions require", () => {
    const check = { TransactItems: [{ ConditionCheck: { TableName: "main", Key } }] };
    expect(() => read("TransactWriteItems", check)).toThrow("conditionExpression");
    const update = { TransactItems: [{ Update: { TableName: "main", Key } }] };
    expect(() => read("TransactWriteItems", update)).toThrow("updateExpression");
  });
});
