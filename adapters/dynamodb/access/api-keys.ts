// API keys in the table: found by their id, created, listed and changed.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type ApiKeyStore, maxActiveKeys } from "../../../domain/access/api-key.ts";
import { transact } from "../client.ts";
import { auditPut } from "../workspace/audit.ts";
import { activeKeyRows, endedOf, untilSettled } from "./active-keys.ts";
import { apiKeyChanges } from "./api-key-changes.ts";
import { apiKeyItems } from "./api-key-items.ts";
import { apiKeyList } from "./api-key-list.ts";
import { readKey } from "./stored-api-key.ts";

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

    list: apiKeyList(client, tableName),
  };
}
