// An embedded DynamoDB with one table, called in process or, through the real SDK, over HTTP.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AwsRequest } from "../../aws/service.ts";
import { Clock } from "../../clock.ts";
import { DynamoDb } from "../../dynamodb/dynamodb.ts";
import { serveAws } from "./aws-server.ts";

export const region = "eu-central-1";

/** The inputs of a table with an index and time to live. */
export const tableInputs = {
  name: "main",
  hashKey: "pk",
  rangeKey: "sk",
  billingMode: "PAY_PER_REQUEST",
  attributes: ["pk", "sk", "gsi1_pk", "gsi1_sk"].map((name) => ({ name, type: "S" })),
  globalSecondaryIndexes: [{ name: "gsi1", hashKey: "gsi1_pk", rangeKey: "gsi1_sk", projectionType: "ALL" }],
  ttl: { attributeName: "expires_at", enabled: true },
};

/** A request as the endpoint would hand it on. */
export function dynamoDbRequest(operation: string, body: unknown): AwsRequest {
  return {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { "x-amz-target": `DynamoDB_20120810.${operation}` },
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    region,
    principal: undefined,
  };
}

/** Calls in process, in DynamoDB's JSON. The request is under way when this returns; refusals are AwsErrors. */
export async function callDynamoDb(service: DynamoDb, operation: string, body: unknown) {
  const answer = await service.handle(operation, dynamoDbRequest(operation, body));
  return JSON.parse(answer.body as string);
}

export type TableOptions = { clock?: Clock; path?: string; inputs?: typeof tableInputs };

/** Opens DynamoDB with the table `main`. */
export async function openTable({ clock = new Clock(), path, inputs = tableInputs }: TableOptions = {}) {
  const service = await DynamoDb.open({ clock, path });
  await service.createTable(inputs);
  return {
    clock,
    service,
    call: (operation: string, body: unknown) => callDynamoDb(service, operation, body),
    close: () => service.close(),
  };
}

/** The same, served over HTTP to the SDK's own client. */
export async function openDynamoDb(options: TableOptions = {}) {
  const table = await openTable(options);
  const server = await serveAws(table.service);
  const client = new DynamoDBClient({
    endpoint: server.url,
    region,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
  });
  return {
    ...table,
    client,
    /** Where it is reached by HTTP. */
    endpoint: server.url,
    document: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    async close() {
      client.destroy();
      await server.close();
      await table.close();
    },
  };
}

export type OpenDynamoDb = Awaited<ReturnType<typeof openDynamoDb>>;
