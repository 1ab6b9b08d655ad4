// API keys in the table, found by their id, and listed by tenant through the index.
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import { type ApiKey, type ApiKeyStore, maxActiveKeys } from "../../domain/access/api-key.ts";
import { activeKeyRows, endedOf, untilSettled } from "./active-keys.ts";
import { apiKeyChanges } from "./api-key-changes.ts";
import { apiKeyItems } from "./api-key-items.ts";
import { auditPut } from "./audit.ts";
import { hasKey, transact, withRetries } from "./client.ts";
import { index, keys, table } from "./schema.ts";
import { keyOf, readKey } from "./stored-api-key.ts";

type Item = Record<string, unknown>;

export function apiKeyStore(client: DynamoDBDocumentClient, tableName: string): ApiKeyStore {
  const rows = activeKeyRows(client, tableName);
  const items = apiKeyItems(tableName);

  return {
    ...apiKeyChanges(client, tableName),

    get: (keyId) => readKey(client, tableName, keyId),

    create(key, maxServiceAccounts, entry) {
      const isService = key.role === "service_account";
      const caller = isService ? items.accountPlace(key, maxServiceAccounts) : items.membership(key);
      const now = Date.parse(key.created_at);
      let place: ReturnType<typeof rows.take> | ReturnType<typeof rows.change> = rows.take(key);
      return untilSettled(async () => {
        const failed = await transact(client, [items.put(key), caller, place, auditPut(tableName, entry)]);
        if (failed === undefined) return "created";
        if (failed === 0) return (await this.get(key.key_id))?.hash === key.hash ? "created" : "taken";
        if (failed === 1) return isService ? "full" : "no_member";
        const active = await rows.read(key);
        const remove = endedOf(active, now);
        if (active.ends.size - remove.length >= maxActiveKeys) return "full";
        place = remove.length > 0 ? rows.change(key, active, { put: [key], remove }) : rows.take(key);
        return undefined;
      });
    },

    async list(tenantId, callerId, { limit, after }) {
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
    },
  };
}
