// The row of an API key: how it is written, read by its id, and listed by tenant.
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { ApiKey, ApiKeyStore } from "../../../domain/access/api-key.ts";
import { hasKey, recordOf, withRetries } from "../client.ts";
import { listed } from "../listed.ts";
import { index, keys, table } from "../schema.ts";

type Item = Record<string, unknown>;

/** A key's row outlives the key, so its end is not stored in the attribute by which the table deletes items. */
export function itemOf({ expires_at, ...key }: ApiKey): Item {
  const { tenant_id, key_id } = key;
  return { ...keys.apiKey(key_id), ...index.apiKey(tenant_id, key_id), ...key, key_expires_at: expires_at };
}

function keyOf(item: Item): ApiKey {
  const row = recordOf<ApiKey & { key_expires_at?: string }>(item) as ApiKey & { key_expires_at?: string };
  const { key_expires_at, ...key } = row;
  return { ...key, version: key.version ?? 0, ...(key_expires_at !== undefined && { expires_at: key_expires_at }) };
}

export async function readKey(
  client: DynamoDBDocumentClient,
  tableName: string,
  keyId: string,
): Promise<ApiKey | undefined> {
  const command = new GetCommand({ TableName: tableName, Key: keys.apiKey(keyId), ConsistentRead: true });
  const { Item } = await withRetries(() => client.send(command));
  return Item && keyOf(Item);
}

export function keyList(client: DynamoDBDocumentClient, tableName: string): ApiKeyStore["list"] {
  return async (tenantId, callerId, { limit, after }) => {
    const { gsi1_pk, gsi1_sk: prefix } = index.apiKey(tenantId, "");
    const query = {
      TableName: tableName,
      IndexName: table.index.name,
      KeyConditionExpression: "gsi1_pk = :pk AND begins_with(gsi1_sk, :prefix)",
      ExpressionAttributeValues: { ":pk": gsi1_pk, ":prefix": prefix, ...(callerId && { ":caller": callerId }) },
      ...(callerId && { FilterExpression: "caller_id = :caller" }),
      ...(after !== undefined && { ExclusiveStartKey: { ...keys.apiKey(after), ...index.apiKey(tenantId, after) } }),
    };
    const { items, isMore } = await listed(client, query, {
      limit,
      isListed: (item) => hasKey(item, keys.apiKey(String(item.key_id))) && item.tenant_id === tenantId,
    });
    const found = items.map(keyOf);
    return { items: found, next: isMore ? found.at(-1)?.key_id : undefined };
  };
}
