// The rows by which a tenant is found and counted, and the list of tenants that the reconciliation has yet to look at.
import { type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { UncheckedTenants } from "../../../domain/provisioning/setup-completion.ts";
import { hasKey, transact, written } from "../client.ts";
import { activeIndex, index, keys, table } from "../schema.ts";

export function uncheckedTenants(client: DynamoDBDocumentClient, tableName: string): UncheckedTenants {
  return {
    async restore(tenant) {
      const { tenant_id, owner_sub, status, created_at } = tenant;
      // If a purge has removed the tenant meanwhile, nothing is written for it.
      const isThere = {
        TableName: tableName,
        Key: keys.tenant(tenant_id),
        ConditionExpression: "attribute_exists(pk)",
      };
      const since = tenant.deleted_at ?? tenant.suspended_at ?? created_at;
      const directory = {
        TableName: tableName,
        Item: { ...keys.directory(tenant_id), ...index.status(status, since, tenant_id), tenant_id },
        ConditionExpression: "attribute_not_exists(pk)",
      };
      await transact(client, [{ ConditionCheck: isThere }, { Put: directory }]);
      const owned = {
        TableName: tableName,
        Key: keys.ownedTenants(owner_sub),
        UpdateExpression: "SET #tenant = :at ADD owned :one",
        ConditionExpression: "attribute_not_exists(#tenant)",
        ExpressionAttributeNames: { "#tenant": `t#${tenant_id}` },
        ExpressionAttributeValues: { ":at": created_at, ":one": 1 },
      };
      await transact(client, [{ ConditionCheck: isThere }, { Update: owned }]);
    },

    async *unchecked(until) {
      const { gsi2_pk } = activeIndex.unchecked("", "");
      const query = {
        TableName: tableName,
        IndexName: table.activeIndex.name,
        KeyConditionExpression: "gsi2_pk = :pk AND gsi2_sk <= :until",
        ExpressionAttributeValues: { ":pk": gsi2_pk, ":until": `${until}#~` },
      };
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const item of Items) {
          const tenantId = String(item.gsi2_sk).split("#")[1] ?? "";
          if (hasKey(item, keys.directory(tenantId))) yield tenantId;
        }
      }
    },

    async checked(tenantId) {
      const command = {
        TableName: tableName,
        Key: keys.directory(tenantId),
        UpdateExpression: "REMOVE gsi2_pk, gsi2_sk",
        ConditionExpression: "attribute_exists(gsi2_pk)",
      };
      await written(() => client.send(new UpdateCommand(command)));
    },
  };
}
