// The rows by which a tenant is found and counted, and the list of tenants that the reconciliation has yet to look at.
import type { UncheckedTenants } from "../../../domain/provisioning/setup-completion.ts";
import { hasKey } from "../client.ts";
import { absent, type Rows } from "../rows.ts";
import { activeIndex, index, keys } from "../schema.ts";

export function uncheckedTenants(rows: Rows): UncheckedTenants {
  return {
    async restore(tenant) {
      const { tenant_id, owner_sub, status, created_at } = tenant;
      // If a purge has removed the tenant meanwhile, nothing is written for it.
      const isThere = {
        ConditionCheck: { Key: keys.tenant(tenant_id), ConditionExpression: "attribute_exists(pk)" },
      };
      const since = tenant.deleted_at ?? tenant.suspended_at ?? created_at;
      const directory = { ...keys.directory(tenant_id), ...index.status(status, since, tenant_id), tenant_id };
      await rows.transact([isThere, { Put: { Item: directory, ...absent } }]);
      const owned = {
        Key: keys.ownedTenants(owner_sub),
        UpdateExpression: "SET #tenant = :at ADD owned :one",
        ConditionExpression: "attribute_not_exists(#tenant)",
        ExpressionAttributeNames: { "#tenant": `t#${tenant_id}` },
        ExpressionAttributeValues: { ":at": created_at, ":one": 1 },
      };
      await rows.transact([isThere, { Update: owned }]);
    },

    async *unchecked(until) {
      const { gsi2_pk: pk } = activeIndex.unchecked("", "");
      for await (const page of rows.pages({ pk, by: "activeIndex", upTo: `${until}#~` })) {
        for (const item of page) {
          const tenantId = String(item.gsi2_sk).split("#")[1] ?? "";
          if (hasKey(item, keys.directory(tenantId))) yield tenantId;
        }
      }
    },

    async checked(tenantId) {
      await rows.update(keys.directory(tenantId), {
        UpdateExpression: "REMOVE gsi2_pk, gsi2_sk",
        ConditionExpression: "attribute_exists(gsi2_pk)",
      });
    },
  };
}
