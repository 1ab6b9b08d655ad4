// The store of idempotency records.
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { IdempotencyRecord, IdempotencyStore } from "../../../domain/kernel/idempotency.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { recordOf, withRetries } from "../client.ts";
import { rowsOf } from "../rows.ts";
import { keys } from "../schema.ts";

export function idempotencyStore(client: DynamoDBDocumentClient, tableName: string): IdempotencyStore {
  const rows = rowsOf(client, tableName);
  const store: IdempotencyStore = {
    async reserve(sub, key, record, now) {
      const Key = keys.idempotency(sub, key);
      const item = { ...Key, ...record, expires_at: expiresAt("idempotency", now) };
      const isFree = {
        ConditionExpression: "attribute_not_exists(pk) OR expires_at <= :now",
        ExpressionAttributeValues: { ":now": Math.floor(now / 1000) },
      };
      if (await rows.put(item, isFree)) return record;
      // Without an item the record has expired and was deleted just now.
      return recordOf<IdempotencyRecord>(await rows.get(Key)) ?? store.reserve(sub, key, record, now);
    },

    async answer(sub, key, answer) {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: keys.idempotency(sub, key),
        UpdateExpression: "SET answer = if_not_exists(answer, :answer)",
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":answer": answer },
      });
      await withRetries(() => client.send(command));
    },
  };
  return store;
}
