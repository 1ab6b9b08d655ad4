// The workspace in which a person works: the one chosen in the app client, else the latest of their own, else the first that invited
// them. One that is suspended and was not chosen gives way to one that is not. A deleted tenant or one without an active membership never counts. An invitation needs no consent of the invited person, so it
// does not change their workspace.
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import type { Membership, UserRecord } from "./user.ts";

export type Workspace = { tenant: Tenant; membership: Membership };

/** The person's workspace in this app client; undefined for a person without one. */
export async function activeWorkspace(
  record: UserRecord,
  clientId: string,
  tenants: Pick<TenantStore, "get">,
): Promise<Workspace | undefined> {
  let suspended: Workspace | undefined;
  for (const membership of inOrder(record, clientId)) {
    const tenant = await tenants.get(membership.tenant_id);
    if (!tenant || tenant.status === "deleted") continue;
    const isChosen = tenant.tenant_id === record.activeTenants[clientId];
    if (isChosen || tenant.status !== "suspended") return { tenant, membership };
    suspended ??= { tenant, membership };
  }
  return suspended;
}

function inOrder(record: UserRecord, clientId: string): Membership[] {
  const chosen = record.activeTenants[clientId];
  const since = (membership: Membership) => membership.activated_at ?? membership.created_at;
  const active = record.memberships.filter((membership) => membership.status === "active");
  const own = active.filter(({ invited_at }) => invited_at === undefined).sort((a, b) => compare(since(b), since(a)));
  const invited = active
    .filter(({ invited_at }) => invited_at !== undefined)
    .sort((a, b) => compare(since(a), since(b)));
  return [...own, ...invited].sort((a, b) => Number(b.tenant_id === chosen) - Number(a.tenant_id === chosen));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
