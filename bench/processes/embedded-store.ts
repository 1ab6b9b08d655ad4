// The local stack's embedded DynamoDB over HTTP, without the local stack's IAM.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { AwsError, type AwsRequest, type AwsResponse } from "../../emulators/aws/service.ts";
import { Clock } from "../../emulators/clock.ts";
import { DynamoDb } from "../../emulators/dynamodb/dynamodb.ts";
import type { Workspace } from "../workspace.ts";
import { readBody, serve } from "./child.ts";

const { items } = JSON.parse(process.env.WORKSPACE ?? "") as Workspace;
const table = JSON.parse(process.env.TABLE ?? "");
const dynamodb = await DynamoDb.open({ clock: new Clock() });
await dynamodb.createTable(table);
for (const Item of [items.tenant, items.address, ...items.keys, ...items.grants]) {
  await dynamodb.handle("PutItem", requestOf("PutItem", Buffer.from(JSON.stringify({ TableName: table.name, Item }))));
}

function requestOf(operation: string, body: Buffer): AwsRequest {
  const headers = { "x-amz-target": `DynamoDB_20120810.${operation}` };
  const query = new URLSearchParams();
  return { method: "POST", path: "/", query, headers, body, region: "eu-central-1", principal: undefined };
}

async function answer(request: IncomingMessage): Promise<AwsResponse> {
  const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
  try {
    return await dynamodb.handle(operation, requestOf(operation, await readBody(request)));
  } catch (error) {
    if (error instanceof AwsError) return dynamodb.failure(error);
    throw error;
  }
}

function send(response: ServerResponse, { status, headers, body }: AwsResponse): void {
  const requestId = randomUUID();
  const length = Buffer.byteLength(body as string);
  response.writeHead(status, { ...headers, "x-amzn-requestid": requestId, "content-length": length }).end(body);
}

serve((request, response) => {
  answer(request).then(
    (answered) => send(response, answered),
    (error) => response.destroy(error),
  );
});
