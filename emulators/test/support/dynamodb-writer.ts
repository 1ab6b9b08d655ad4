// A process that writes to a DynamoDB folder, transaction after transaction, until it is killed.
// Prints `open`, then the number of each transaction that was answered.
import { Clock } from "../../clock.ts";
import { DynamoDb } from "../../dynamodb/dynamodb.ts";
import { addToCounters } from "./dynamodb-counters.ts";

const service = await DynamoDb.open({ clock: new Clock(), path: process.argv[2] });
console.log("open");
for (let written = 1; ; written += 1) {
  await addToCounters(service);
  console.log(written);
}
