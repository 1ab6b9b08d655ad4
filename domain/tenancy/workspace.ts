// Which tenant a person works in: chosen per app client, else the latest one; never a deleted tenant, never without membership.
import type { Tenant, TenantStore } from "./tenant.ts";
import type { Membership, UserRecord } from "./user.ts";

export type Workspace = { tenant: Tenant; membership: Membership };

/** The person's workspace in this app client, or none. */
export async function activeWorkspace(
  record: UserRecord,
  clientId: string,
  tenants: Pick<TenantStore, "get">,
): Promise<Workspace | undefined> {
  for (const membership of inOrder(record, clientId)) {
    const tenant = await tenants.get(membership.tenant_id);
    if (tenant && tenant.status !== "deleted") return { tenant, membership };
  }
  return undefined;
}

function inOrder(record: UserRecord, clientId: string): Membership[] {
  const chosen = record.activeTenants[clientId];
  const since = (membership: Membership) => membership.activated_at ?? membership.created_at;
  return record.memberships
    .filter((membership) => membership.status === "active")
    .sort((a, b) => since(b).localeCompare(since(a)))
    .sort((a, b) => Number(b.tenant_id === chosen) - Number(a.tenant_id === chosen));
}
