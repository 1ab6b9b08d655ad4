// Items of a running stack's table, changed past the platform: what has no call of its own yet.

import type { Key } from "../../../adapters/dynamodb/table.ts";
import type { Stack } from "../../../local/stack.ts";

/** @param values and names as DynamoDB's own interface takes them. */
export async function updateItem(
  { dynamodb, program }: Stack,
  { pk, sk }: Key,
  UpdateExpression: string,
  values: object,
  names?: Record<string, string>,
): Promise<void> {
  const [declared] = program.resources.ofType("aws:dynamodb/table:Table");
  const input = {
    TableName: declared?.outputs.name,
    Key: { pk: { S: pk }, sk: { S: sk } },
    UpdateExpression,
    ExpressionAttributeValues: values,
    ...(names && { ExpressionAttributeNames: names }),
  };
  const headers = { "x-amz-target": "DynamoDB_20120810.UpdateItem" };
  const body = Buffer.from(JSON.stringify(input));
  const request = { method: "POST", path: "/", query: new URLSearchParams(), headers, body };
  await dynamodb.handle("UpdateItem", { ...request, region: program.region, principal: undefined });
}
