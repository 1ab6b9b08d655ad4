// The API keys of a tenant, listed through the index, those of one caller too.
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import type { ApiKey, ApiKeyStore } from "../../domain/access/api-key.ts";
import { hasKey, withRetries } from "./client.ts";
import { index, keys, table } from "./schema.ts";
import { keyOf } from "./stored-api-key.ts";

type Item = Record<string, unknown>;

export function apiKeyList(client: DynamoDBDocumentClient, tableName: string): ApiKeyStore["list"] {
  return async (tenantId, callerId, { limit, after }) => {
    const { gsi1_pk, gsi1_sk: prefix } = index.apiKey(tenantId, "");
    const isListed = (item: Item) => hasKey(item, keys.apiKey(String(item.key_id))) && item.tenant_id === tenantId;
    const found: ApiKey[] = [];
    let start: Item | undefined =
      after === undefined ? undefined : { ...keys.apiKey(after), ...index.apiKey(tenantId, after) };
    do {
      const command = new QueryCommand({
        TableName: tableName,
        IndexName: table.index.name,
        KeyConditionExpression: "gsi1_pk = :pk AND begins_with(gsi1_sk, :prefix)",
        // The limit counts before the filter: a caller's few keys among many are found in as few pages as they fill.
        ...(callerId ? { FilterExpression: "caller_id = :caller" } : { Limit: limit - found.length }),
        ExpressionAttributeValues: { ":pk": gsi1_pk, ":prefix": prefix, ...(callerId && { ":caller": callerId }) },
        ExclusiveStartKey: start,
      });
      const { Items = [], LastEvaluatedKey }: QueryCommandOutput = await withRetries(() => client.send(command));
      found.push(...Items.filter(isListed).map(keyOf));
      start = LastEvaluatedKey;
    } while (start !== undefined && found.length < limit);
    const page = found.slice(0, limit);
    return { items: page, next: start || found.length > limit ? page.at(-1)?.key_id : undefined };
  };
}
