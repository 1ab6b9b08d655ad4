// Writes changes of a tenant: its row on the version that was read, the records that follow from it, and the audit entry.
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { TenantChanges } from "../../../domain/workspace/tenant-change.ts";
import { type Rows, setting, type Write } from "../rows.ts";
import { activeIndex, index, keys } from "../schema.ts";
import { auditPut } from "./audit.ts";

/** Attributes that change after the creation. Other writers own the other attributes of the row. */
const changeable = [
  ...["name", "slug", "tier", "status", "default_region", "monthly_cap_usd"],
  ...["deleted_at", "suspended_reason", "suspended_at"],
] as (keyof Tenant)[];

export function tenantChanges(rows: Rows): TenantChanges {
  return {
    async write(before, after, entry) {
      const failed = await rows.transact(changeItems({ before, after, entry }, changeable));
      if (failed === undefined) return "written";
      return failed === 0 ? "stale" : "taken";
    },
  };
}

/**
 * The items of a transaction that changes a tenant. The first one is its row; there are at most three if the slug stays.
 * @param changeable attributes of the row that the writer may change
 */
export function changeItems(
  { before, after, entry }: { before: Tenant; after: Tenant; entry: AuditEntry },
  changeable: readonly (keyof Tenant)[],
): Write[] {
  const isMoved = before.slug !== after.slug;
  return [
    { Update: rowUpdate(before, after, changeable) },
    ...(isMoved ? moved(before, after) : []),
    ...(before.status === after.status ? [] : [{ Update: statusUpdate(after, entry.at) }]),
    auditPut(entry),
  ];
}

function rowUpdate(before: Tenant, after: Tenant, changeable: readonly (keyof Tenant)[]) {
  const differing = changeable.filter((name) => before[name] !== after[name]);
  const { version } = before;
  const { ExpressionAttributeValues, ...update } = setting({
    version: (version ?? 0) + 1,
    ...Object.fromEntries(differing.map((name) => [name, after[name]])),
    ...(before.slug !== after.slug && { gsi1_pk: index.slug(after.slug).gsi1_pk }),
  });
  return {
    Key: keys.tenant(after.tenant_id),
    ...update,
    ConditionExpression:
      version === undefined ? "attribute_exists(pk) AND attribute_not_exists(version)" : "version = :before",
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ...(version !== undefined && { ":before": version }) },
  };
}

/** Reserves the new slug and frees the old one. */
function moved(before: Tenant, after: Tenant): Write[] {
  const own = {
    ConditionExpression: "attribute_not_exists(pk) OR tenant_id = :tenant",
    ExpressionAttributeValues: { ":tenant": after.tenant_id },
  };
  const Item = { ...keys.slugReservation(after.slug), tenant_id: after.tenant_id };
  return [{ Put: { Item, ...own } }, { Delete: { Key: keys.slugReservation(before.slug), ...own } }];
}

/**
 * Updates the row by which the tenant is found by its status, and creates it for tenants of versions without such rows. A deleted
 * tenant is listed for the reconciliation.
 */
function statusUpdate({ tenant_id, status }: Tenant, since: string) {
  return {
    Key: keys.directory(tenant_id),
    ...setting({
      ...index.status(status, since, tenant_id),
      tenant_id,
      ...(status === "deleted" && activeIndex.unchecked(since, tenant_id)),
    }),
  };
}
