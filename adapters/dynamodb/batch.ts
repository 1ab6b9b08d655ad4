// Reads many items by their keys.
import { setTimeout as sleep } from "node:timers/promises";
import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { unavailable, withRetries } from "./client.ts";
import type { Key } from "./table.ts";

type Item = Record<string, unknown>;

/** Most keys of a BatchGetItem. An item of 200 calls in flight has 23 KB, so a batch stays far below the limit of 16 MB. */
export const batchSize = 100;
/** Attempts to read throttled keys, including the first, with a random pause that grows. */
const attempts = 5;
const pauseMs = 20;

export type Batch = {
  /** The item of a key; undefined if it does not exist or stayed throttled. */
  item: (key: Key) => Item | undefined;
  /** False if some keys stayed throttled. Their items look like items that do not exist. */
  isWhole: boolean;
};

/** Reads consistently, in calls of at most `batchSize` keys. No key may be named twice. */
export async function batchGet(
  client: DynamoDBDocumentClient,
  tableName: string,
  wanted: readonly Key[],
): Promise<Batch> {
  const found = new Map<string, Item>();
  let isWhole = true;
  for (let start = 0; start < wanted.length; start += batchSize) {
    let left = wanted.slice(start, start + batchSize);
    for (let attempt = 1; left.length > 0 && attempt <= attempts; attempt++) {
      if (attempt > 1) await sleep(Math.random() * pauseMs * 2 ** attempt);
      const RequestItems = { [tableName]: { Keys: left, ConsistentRead: true } };
      const answer = await withRetries(() => client.send(new BatchGetCommand({ RequestItems })));
      for (const item of answer.Responses?.[tableName] ?? []) found.set(nameOf(item as Key), item);
      left = (answer.UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    }
    isWhole &&= left.length === 0;
  }
  return { item: (key) => found.get(nameOf(key)), isWhole };
}

/**
 * Like `batchGet`, for readers to whom a throttled item must not look like one that does not exist.
 * @throws Refusal store_unavailable if some keys stayed throttled
 */
export async function wholeBatch(...asked: Parameters<typeof batchGet>): Promise<Batch["item"]> {
  const { item, isWhole } = await batchGet(...asked);
  if (!isWhole) throw unavailable(new Error("some items were not returned"));
  return item;
}

function nameOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
