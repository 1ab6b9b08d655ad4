// Removing what a deleted tenant has outside the table. All of it may be repeated.
import pMap from "p-map";
import { type CustomerRemovalDependencies, removeCustomer } from "../billing/customer-removal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { AccountRemoval } from "../workspace/accounts.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import type { UserRecord, UserStore } from "../workspace/user.ts";
import { type EndingDependencies, endBilling } from "./ending.ts";
import { removeKeys, type TenantKeys } from "./tenant-key.ts";
import type { TenantSetups } from "./tenant-setup.ts";

export type RemovalDependencies = {
  tenants: Pick<TenantStore, "get">;
  users: Pick<UserStore, "record">;
  setups: Pick<TenantSetups, "resource">;
  keys: TenantKeys;
  accounts: AccountRemoval;
  /** Absent without billing: what the manifest names of it then stays. */
  billing?: (EndingDependencies & CustomerRemovalDependencies) | undefined;
  /** Addresses whose accounts stay: the platform's administrators. */
  platformAdmins: readonly string[];
};

/** Calls to the identity provider at once. */
const concurrency = 5;

/**
 * @returns how much there was by kind, or `waiting` while usage is still to be billed: nothing is removed then
 * @throws Refusal conflict unless the tenant is deleted, or gone.
 */
export async function removeTenantOutside(
  deps: RemovalDependencies,
  tenantId: string,
): Promise<Record<string, number> | "waiting"> {
  const tenant = await requireDeleted(deps, tenantId);
  const billing = tenant && deps.billing;
  if (billing && !(await endBilling(billing, tenant))) return "waiting";
  const known = await deps.setups.resource(tenantId, "kms_key");
  return {
    kms_key: await removeKeys(deps.keys, tenantId, known),
    ...(billing && {
      stripe_subscription: (await deps.setups.resource(tenantId, "stripe_subscription")) === undefined ? 0 : 1,
      stripe_customer: await removeCustomer(billing, tenant),
    }),
  };
}

/** @throws Refusal conflict unless the tenant is deleted. */
export async function removeAccounts(
  deps: RemovalDependencies,
  { tenant_id, subs }: { tenant_id: string; subs: readonly string[] },
): Promise<{ gone: string[]; removed: number }> {
  const { users, accounts, platformAdmins } = deps;
  await requireDeleted(deps, tenant_id);
  const outcomes = await pMap(
    subs,
    async (sub) => {
      if (!belongsNowhereElse(await users.record(sub), tenant_id, platformAdmins)) return [];
      return [{ sub, isRemoved: await accounts.remove(sub) }];
    },
    { concurrency },
  );
  const gone = outcomes.flat();
  return { gone: gone.map(({ sub }) => sub), removed: gone.filter(({ isRemoved }) => isRemoved).length };
}

/** Whoever was removed from a tenant before keeps the account: the tenant does not count for them, nor they for it. */
function belongsNowhereElse(
  { profile, memberships }: UserRecord,
  tenantId: string,
  admins: readonly string[],
): boolean {
  const belonging = memberships.filter(({ status }) => status !== "removed");
  const isAdmin = profile !== undefined && admins.includes(profile.email.toLowerCase());
  return !isAdmin && belonging.length > 0 && belonging.every(({ tenant_id }) => tenant_id === tenantId);
}

async function requireDeleted({ tenants }: RemovalDependencies, tenantId: string): Promise<Tenant | undefined> {
  const tenant = await tenants.get(tenantId);
  if (tenant === undefined || tenant.status === "deleted") return tenant;
  throw new Refusal("conflict", `The workspace is ${tenant.status}: only what a deleted one has is removed`);
}
