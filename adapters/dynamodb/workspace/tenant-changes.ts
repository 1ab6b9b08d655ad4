// Writes changes of a tenant: its row on the version that was read, the records that follow from it, and the audit entry.
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { TenantChanges } from "../../../domain/workspace/tenant-change.ts";
import type { Rows } from "../rows.ts";
import { put, remove, setting, update, type Write, when } from "../write.ts";
import { auditPuts } from "./audit.ts";
import { directoryRecord } from "./directory.record.ts";
import { slugReservationRecord } from "./slug-reservation.record.ts";
import { tenantRecord } from "./tenant.record.ts";

/** Attributes that change after the creation. Other writers own the other attributes of the row. */
const changeable = [
  ...["name", "slug", "tier", "status", "default_region", "monthly_cap_usd", "browser_origins"],
  ...["deleted_at", "suspended_reason", "suspended_at", "purge_requested_by"],
  ...["billing_emails", "purchase_order"],
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
 * The items of a transaction that changes a tenant. The first one is its row; there are at most three if the slug stays, and a fourth if the platform's own people change it.
 * @param changeable attributes of the row that the writer may change
 */
export function changeItems(
  { before, after, entry }: { before: Tenant; after: Tenant; entry: AuditEntry },
  changeable: readonly (keyof Tenant)[],
): Write[] {
  const isMoved = before.slug !== after.slug;
  return [
    rowUpdate(before, after, changeable),
    ...(isMoved ? moved(before, after) : []),
    ...(before.status === after.status ? [] : [statusUpdate(after, entry.at)]),
    ...auditPuts(entry),
  ];
}

function rowUpdate(before: Tenant, after: Tenant, changeable: readonly (keyof Tenant)[]) {
  const differing = changeable.filter((name) => before[name] !== after[name]);
  const { version } = before;
  const changed = setting({
    version: (version ?? 0) + 1,
    ...Object.fromEntries(differing.map((name) => [name, after[name]])),
    ...(before.slug !== after.slug && { gsi1_pk: tenantRecord.indexKey({ slug: after.slug }).gsi1_pk }),
  });
  const isAsRead =
    version === undefined ? when`attribute_exists(pk) AND attribute_not_exists(version)` : when`version = ${version}`;
  return update(tenantRecord.key({ tenant_id: after.tenant_id }), changed, isAsRead);
}

/** Reserves the new slug and frees the old one. */
function moved(before: Tenant, after: Tenant): Write[] {
  const own = when`attribute_not_exists(pk) OR tenant_id = ${after.tenant_id}`;
  const reservation = { ...slugReservationRecord.key({ slug: after.slug }), tenant_id: after.tenant_id };
  return [put(reservation, own), remove(slugReservationRecord.key({ slug: before.slug }), own)];
}

/** Updates the row by which the tenant is found by its status. A deleted tenant is also listed for the reconciliation. */
function statusUpdate({ tenant_id, status }: Tenant, since: string) {
  return update(
    directoryRecord.key({ tenant_id }),
    setting({
      ...directoryRecord.indexKey({ status, since, tenant_id }),
      ...(status === "deleted" && directoryRecord.activeIndexKey({ since, tenant_id })),
    }),
  );
}
