// An API key as its row keeps it.
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { recordOf, withRetries } from "../client.ts";
import { index, keys } from "../schema.ts";

type Item = Record<string, unknown>;

/** A key keeps its row after it has expired, so its end is not in the attribute by which the table deletes items. */
export function itemOf({ expires_at, ...key }: ApiKey): Item {
  const { tenant_id, key_id } = key;
  return { ...keys.apiKey(key_id), ...index.apiKey(tenant_id, key_id), ...key, key_expires_at: expires_at };
}

export function keyOf(item: Item): ApiKey {
  const { key_expires_at, ...key } = recordOf<ApiKey & { key_expires_at?: string }>(item) as ApiKey & {
    key_expires_at?: string;
  };
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
