// Removing the accounts of a deleted tenant's people, except for those who belong to another tenant.
import pMap from "p-map";
import type { AccountRemoval } from "../workspace/accounts.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import type { UserRecord, UserStore } from "../workspace/user.ts";
import { requireDeleted } from "./outside-resources.ts";

export type AccountRemovalDependencies = {
  tenants: Pick<TenantStore, "get">;
  users: Pick<UserStore, "record">;
  accounts: AccountRemoval;
  /** Addresses whose accounts stay: the platform's administrators. */
  platformAdmins: readonly string[];
};

/** Calls to the identity provider at once. */
const concurrency = 5;

/**
 * May be repeated.
 * @returns those of the subs who have no account any more, and how many accounts were removed this time
 * @throws Refusal conflict unless the tenant is deleted
 */
export async function removeAccounts(
  { tenants, users, accounts, platformAdmins }: AccountRemovalDependencies,
  tenantId: string,
  subs: readonly string[],
): Promise<{ gone: string[]; removed: number }> {
  await requireDeleted(tenants, tenantId);
  const outcomes = await pMap(
    subs,
    async (sub) => {
      if (!belongsNowhereElse(await users.record(sub), tenantId, platformAdmins)) return [];
      return [{ sub, isRemoved: await accounts.remove(sub) }];
    },
    { concurrency },
  );
  const gone = outcomes.flat();
  return { gone: gone.map(({ sub }) => sub), removed: gone.filter(({ isRemoved }) => isRemoved).length };
}

/** Whoever was removed from a tenant before keeps the account: that membership does not count any more. */
function belongsNowhereElse(
  { profile, memberships }: UserRecord,
  tenantId: string,
  admins: readonly string[],
): boolean {
  const belonging = memberships.filter(({ status }) => status !== "removed");
  const isAdmin = profile !== undefined && admins.includes(profile.email.toLowerCase());
  return !isAdmin && belonging.length > 0 && belonging.every(({ tenant_id }) => tenant_id === tenantId);
}
