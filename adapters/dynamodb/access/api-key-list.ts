// The API keys of a tenant, listed through the index, those of one caller too.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ApiKeyStore } from "../../../domain/access/api-key.ts";
import { hasKey } from "../client.ts";
import { listed } from "../listed.ts";
import { index, keys, table } from "../schema.ts";
import { keyOf } from "./stored-api-key.ts";

export function apiKeyList(client: DynamoDBDocumentClient, tableName: string): ApiKeyStore["list"] {
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
