// A document client that sends its commands to a function: to a table in memory, or to what loses and delays them on the way.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { MemoryTable } from "./memory-table.ts";

export type Send = (command: object) => Promise<object>;

/** The SDK's paginators take no other class. It never sends anything itself. */
const unused = new DynamoDBClient({
  region: "eu-central-1",
  credentials: { accessKeyId: "none", secretAccessKey: "none" },
});

class SendingClient extends DynamoDBDocumentClient {
  constructor(send: Send) {
    super(unused);
    Object.defineProperty(this, "send", { value: send });
  }
}

export function documentClientOf(send: Send): DynamoDBDocumentClient {
  return new SendingClient(send);
}

/** Calls take their effect in the order in which they are made, and answer in the same turn. */
export function memoryClient(table: MemoryTable): DynamoDBDocumentClient {
  return documentClientOf(async (command) => table.execute(command));
}
