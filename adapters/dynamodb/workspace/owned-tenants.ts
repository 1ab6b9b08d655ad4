// The row of an owner's tenants: an attribute for each, one for each slot, and their number.
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import type { OwnedTenants } from "../../../domain/workspace/owned-tenants.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { Rows } from "../rows.ts";
import { attribute, type Change, change, when } from "../write.ts";
import { ownedTenantsRecord } from "./owned-tenants.record.ts";

const tenantPrefix = "t#";

/** The attribute of an owner's row that says when a tenant was created. */
export const tenantAttribute = (tenantId: string) => tenantPrefix + tenantId;

/** The attribute of an owner's row that names the workspace of a slot. */
export const slotAttribute = (slot: number) => `s#${slot}`;

export function ownedTenants(rows: Rows): OwnedTenants {
  return {
    async of(ownerSub) {
      const names = Object.keys((await rows.get(ownedTenantsRecord.key({ owner_sub: ownerSub }))) ?? {});
      return names.filter((name) => name.startsWith(tenantPrefix)).map((name) => name.slice(tenantPrefix.length));
    },

    release(tenant) {
      const key = ownedTenantsRecord.key({ owner_sub: tenant.owner_sub });
      const own = attribute(tenantAttribute(tenant.tenant_id));
      return optimistically(async () => {
        const isOneOfMany = when`attribute_exists(${own}) AND owned > ${1}`;
        if (await rows.update(key, released(tenant), isOneOfMany)) return false;
        const isLast = when`attribute_exists(${own}) AND owned = ${1}`;
        if (await rows.update(key, change`SET is_closing = ${true}`, isLast)) return true;
        return tenantAttribute(tenant.tenant_id) in ((await rows.get(key)) ?? {}) ? undefined : false;
      });
    },
  };
}

/** Takes the tenant from its owner's row, which is open again after that. */
export function released({ tenant_id, billing_slot }: Pick<Tenant, "tenant_id" | "billing_slot">): Change {
  const own = attribute(tenantAttribute(tenant_id));
  return billing_slot === undefined
    ? change`REMOVE ${own}, is_closing ADD owned ${-1}`
    : change`REMOVE ${own}, is_closing, ${attribute(slotAttribute(billing_slot))} ADD owned ${-1}`;
}
