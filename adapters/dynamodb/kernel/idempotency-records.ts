// The store of idempotency records.
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { IdempotencyRecord, IdempotencyStore } from "../../../domain/kernel/idempotency.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { recordOf, withRetries, written } from "../client.ts";
import { keys } from "../schema.ts";

export function idempotencyStore(client: DynamoDBDocumentClient, tableName: string): IdempotencyStore {
  const store: IdempotencyStore = {
    async reserve(sub, key, record, now) {
      const Key = keys.idempotency(sub, key);
      const seconds = Math.floor(now / 1000);
      const command = new PutCommand({
        TableName: tableName,
        Item: { ...Key, ...record, expires_at: expiresAt("idempotency", now) },
        ConditionExpression: "attribute_not_exists(pk) OR expires_at <= :now",
        ExpressionAttributeValues: { ":now": seconds },
      });
      if (await written(() => client.send(command))) return record;
      const read = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
      const { Item } = await withRetries(() => client.send(read));
      // Without an item the record has expired and was deleted just now.
      return recordOf<IdempotencyRecord>(Item) ?? store.reserve(sub, key, record, now);
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
