// Rows of the running stack's table, written past every function: what would take a month of calls to come about.
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Key } from "../../adapters/dynamodb/table.ts";
import { slugReservationRecord } from "../../adapters/dynamodb/workspace/slug-reservation.record.ts";
import type { Stack } from "../../local/stack.ts";
import { partition } from "../support/accounting/accounting.ts";

async function send(stack: Stack, operation: "PutItem" | "UpdateItem", input: object): Promise<void> {
  const [table] = stack.program.resources.ofType("aws:dynamodb/table:Table");
  await stack.dynamodb.handle(operation, {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { "x-amz-target": `DynamoDB_20120810.${operation}` },
    body: Buffer.from(JSON.stringify({ TableName: table?.outputs.name, ...input })),
    region: stack.program.region,
    principal: undefined,
  });
}

export function put(stack: Stack, item: Key & Record<string, unknown>): Promise<void> {
  return send(stack, "PutItem", { Item: marshall(item, { removeUndefinedValues: true }) });
}

/** Sets a field of a row that is there or not. */
export function set(stack: Stack, key: Key, attribute: string, value: number | string): Promise<void> {
  return send(stack, "UpdateItem", {
    Key: marshall(key),
    UpdateExpression: "SET #a = :v",
    ExpressionAttributeNames: { "#a": attribute },
    ExpressionAttributeValues: { ":v": typeof value === "number" ? { N: String(value) } : { S: value } },
  });
}

/** The workspace of an address. */
export async function tenantIdOf(stack: Stack, slug: string): Promise<string> {
  const [reservation] = await partition(stack, slugReservationRecord.key({ slug }).pk);
  return String(reservation?.tenant_id);
}
