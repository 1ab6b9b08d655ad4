// The store of last uses of API keys, in a row beside each key, because the proxy may write these rows and only read keys.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { LastUseStore } from "../../../domain/access/last-use.ts";
import { batchGet } from "../batch.ts";
import { rowsOf } from "../rows.ts";
import { keys } from "../schema.ts";

export function lastUseStore(client: DynamoDBDocumentClient, tableName: string): LastUseStore {
  const rows = rowsOf(client, tableName);
  return {
    async put(keyId, now) {
      const usedAt = new Date(now).toISOString();
      await rows.put(
        { ...keys.lastUse(keyId), key_id: keyId, used_at: usedAt },
        {
          ConditionExpression: "attribute_not_exists(used_at) OR used_at < :used_at",
          ExpressionAttributeValues: { ":used_at": usedAt },
        },
      );
    },

    async of(keyIds) {
      const { item } = await batchGet(client, tableName, keyIds.map(keys.lastUse));
      const used = keyIds.map((keyId) => [keyId, item(keys.lastUse(keyId))?.used_at] as const);
      return new Map(used.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
    },
  };
}
