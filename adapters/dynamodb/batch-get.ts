// Many items of known keys in one call.
import { setTimeout as sleep } from "node:timers/promises";
import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { withRetries } from "./client.ts";
import type { Key } from "./schema.ts";

/** Of BatchGetItem. */
export const batchSize = 100;
/** What is throttled is asked for again so often, with a random pause that grows. */
const attempts = 5;
const pauseMs = 20;

type Item = Record<string, unknown>;

/** What is found. What stays throttled is missing, as if it were not there. @param wanted at most 100 */
export async function batchGet(client: DynamoDBDocumentClient, tableName: string, wanted: Key[]): Promise<Item[]> {
  const found: Item[] = [];
  let left = wanted;
  for (let attempt = 1; left.length > 0 && attempt <= attempts; attempt++) {
    if (attempt > 1) await sleep(Math.random() * pauseMs * 2 ** attempt);
    const RequestItems = { [tableName]: { Keys: left, ConsistentRead: true } };
    const answer = await withRetries(() => client.send(new BatchGetCommand({ RequestItems })));
    found.push(...(answer.Responses?.[tableName] ?? []));
    left = (answer.UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
  }
  return found;
}
