// A process that writes to a DynamoDB folder until it is killed: transactions that add one to each of two counters.
// Prints `open`, then the number of each transaction that was answered.

import { Clock } from "../../local/clock.ts";
import { DynamoDb } from "../../local/dynamodb/dynamodb.ts";
import { callDynamoDb } from "./dynamodb.ts";

const service = await DynamoDb.open({ clock: new Clock(), path: process.argv[2] });
console.log("open");
for (let written = 1; ; written += 1) {
  await callDynamoDb(service, "TransactWriteItems", { TransactItems: ["left", "right"].map(addOne) });
  console.log(written);
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
