// A transaction that adds one to each of two counters, `left` and `right`, which the index shows together.
import type { DynamoDb } from "../../dynamodb/dynamodb.ts";
import { callDynamoDb } from "./dynamodb.ts";

export async function addToCounters(service: DynamoDb): Promise<void> {
  await callDynamoDb(service, "TransactWriteItems", { TransactItems: ["left", "right"].map(addOne) });
}

function addOne(counter: string) {
  return {
    Update: {
      TableName: "main",
      Key: { pk: { S: counter }, sk: { S: "count" } },
      UpdateExpression: "ADD written :one SET gsi1_pk = :index, gsi1_sk = :counter",
      ExpressionAttributeValues: { ":one": { N: "1" }, ":index": { S: "counters" }, ":counter": { S: counter } },
    },
  };
}
