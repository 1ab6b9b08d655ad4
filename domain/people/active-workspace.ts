// The workspace in which a person works: the one chosen in the app client, else the latest of their own, else the first that they joined,
// and of those that they joined at once the first that invited them. What is equal in all of this is not guessed: the person has to choose.
// One that is suspended and was not chosen gives way to one that is not. A deleted tenant or one without an active membership never counts.
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import type { Membership, UserRecord } from "./user.ts";

export type Workspace = { tenant: Tenant; membership: Membership };

/** The person's workspace in this app client; undefined for a person without one, and for one who has to choose. */
export async function activeWorkspace(
  record: UserRecord,
  clientId: string,
  tenants: Pick<TenantStore, "get">,
): Promise<Workspace | undefined> {
  let suspended: Workspace[] = [];
  for (const equals of inOrder(record, clientId)) {
    const there: Workspace[] = [];
    for (const membership of equals) {
      const tenant = await tenants.get(membership.tenant_id);
      if (tenant && tenant.status !== "deleted") there.push({ tenant, membership });
    }
    const isChosen = ({ tenant }: Workspace) => tenant.tenant_id === record.activeTenants[clientId];
    const open = there.filter((one) => isChosen(one) || one.tenant.status !== "suspended");
    if (open.length > 0) return only(open);
    if (suspended.length === 0) suspended = there;
  }
  return only(suspended);
}

function only(workspaces: readonly Workspace[]): Workspace | undefined {
  return workspaces.length === 1 ? workspaces[0] : undefined;
}

/** Active memberships in the order of precedence. Those between which nothing decides are together. */
function inOrder(record: UserRecord, clientId: string): Membership[][] {
  const isChosen = ({ tenant_id }: Membership) => tenant_id === record.activeTenants[clientId];
  const active = record.memberships.filter(({ status }) => status === "active");
  const others = active.filter((membership) => !isChosen(membership));
  const since = ({ activated_at, created_at }: Membership) => activated_at ?? created_at;
  const own = others.filter(({ invited_at }) => invited_at === undefined);
  const joined = others.filter(({ invited_at }) => invited_at !== undefined);
  return [
    active.filter(isChosen),
    ...byTime(own, since).toReversed(),
    ...byTime(joined, (membership) => `${since(membership)} ${membership.invited_at}`),
  ];
}

function byTime(memberships: readonly Membership[], timeOf: (membership: Membership) => string): Membership[][] {
  const groups = Map.groupBy(memberships, timeOf);
  return [...groups.keys()].toSorted().map((time) => groups.get(time) ?? []);
}
