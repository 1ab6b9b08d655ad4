// Removing the accounts that go with a deleted tenant: its owner's with the last one of the owner's, and those that its owner's
// invitations made. An account that somebody had by themselves stays, and so does that of whoever belongs to another tenant.
import pMap from "p-map";
import type { AccountRemoval } from "../people/accounts.ts";
import type { Membership, UserRecord, UserStore } from "../people/user.ts";
import type { OwnedTenants } from "../workspace/owned-tenants.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import { requireDeleted } from "./outside-resources.ts";

export type AccountRemovalDependencies = {
  tenants: Pick<TenantStore, "get">;
  users: Pick<UserStore, "record">;
  ownedTenants: Pick<OwnedTenants, "of">;
  accounts: AccountRemoval;
  /** Addresses whose accounts stay: the platform's administrators. */
  platformAdmins: readonly string[];
};

/** Calls to the identity provider at once. */
const concurrency = 5;

/**
 * Removes accounts that nobody needs after the purge of a tenant, which its owner no longer has by then. May be repeated.
 * @returns those of the subs who have no account any more, and how many accounts were removed this time
 * @throws Refusal workspace_not_deleted unless the tenant is deleted
 */
export async function removeAccounts(
  deps: AccountRemovalDependencies,
  tenantId: string,
  subs: readonly string[],
): Promise<{ gone: string[]; removed: number }> {
  const { tenants, users, accounts, platformAdmins } = deps;
  await requireDeleted(tenants, tenantId);
  const outcomes = await pMap(
    subs,
    async (sub) => {
      const { profile, memberships } = await users.record(sub);
      const isAdmin = profile !== undefined && platformAdmins.includes(profile.email.toLowerCase());
      if (isAdmin || !memberships.some((one) => one.tenant_id === tenantId && isMade(one))) return [];
      if (await belongsElsewhere(deps, sub, tenantId, memberships)) return [];
      return [{ sub, isRemoved: await accounts.remove(sub) }];
    },
    { concurrency },
  );
  const gone = outcomes.flat();
  return { gone: gone.map(({ sub }) => sub), removed: gone.filter(({ isRemoved }) => isRemoved).length };
}

/** Whether the account goes with the tenant. Whoever was removed from it before keeps the account. */
function isMade({ tenant_role, status, made_account }: Membership): boolean {
  return status !== "removed" && (tenant_role === "owner" || made_account === true);
}

/** A deleted tenant serves nobody, so only its owner belongs to it. Whether a person owns a tenant is read from the tenant's own row. */
async function belongsElsewhere(
  { tenants, ownedTenants }: AccountRemovalDependencies,
  sub: string,
  tenantId: string,
  memberships: UserRecord["memberships"],
): Promise<boolean> {
  if ((await ownedTenants.of(sub)).some((id) => id !== tenantId)) return true;
  for (const { tenant_id, tenant_role, status } of memberships) {
    if (tenant_id === tenantId || tenant_role === "owner" || status === "removed") continue;
    const tenant = await tenants.get(tenant_id);
    if (tenant && tenant.status !== "deleted") return true;
  }
  return false;
}
