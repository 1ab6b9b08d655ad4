// The rows by which a tenant is found and counted, and the list of tenants that the reconciliation has yet to look at.
import type { UncheckedTenants } from "../../../domain/provisioning/setup-completion.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, index, keys } from "../schema.ts";
import { absent, attribute, change, check, present, put, update, when } from "../write.ts";

export function uncheckedTenants(rows: Rows): UncheckedTenants {
  return {
    async restore(tenant) {
      const { tenant_id, owner_sub, status, created_at } = tenant;
      // If a purge has removed the tenant meanwhile, nothing is written for it.
      const isThere = check(keys.tenant(tenant_id), present);
      const since = tenant.deleted_at ?? tenant.suspended_at ?? created_at;
      const directory = { ...keys.directory(tenant_id), ...index.status(status, since, tenant_id), tenant_id };
      await rows.transact([isThere, put(directory, absent)]);
      const own = attribute(`t#${tenant_id}`);
      const listed = change`SET ${own} = ${created_at} ADD owned ${1}`;
      const owned = update(keys.ownedTenants(owner_sub), listed, when`attribute_not_exists(${own})`);
      await rows.transact([isThere, owned]);
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
      await rows.update(keys.directory(tenantId), change`REMOVE gsi2_pk, gsi2_sk`, when`attribute_exists(gsi2_pk)`);
    },
  };
}
