// What a signed-in caller is to a route: looks up what its access rule needs to know. The rules are domain/access/access-rule.ts.
import {
  type AccessRule,
  activeRole,
  requireMember,
  requireOwner,
  requirePlatformAdmin,
  requireTenantOwner,
} from "../../domain/access/access-rule.ts";
import { Cache } from "../../domain/cache.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { TenantStore } from "../../domain/tenancy/tenant.ts";
import type { TenantRole, UserStore } from "../../domain/tenancy/user.ts";
import type { ControlCallers, SignedIn } from "./caller.ts";

type AuthorizeOptions = {
  users: Pick<UserStore, "membership">;
  tenants: Pick<TenantStore, "get">;
  clock: () => number;
};

/** Of the path, decoded. */
type Parameters = Readonly<Record<string, string>>;

/** Refuses with no_active_tenant, tenant_suspended, role_missing or not_found. */
type Authorize = <A extends AccessRule>(
  access: A,
  caller: SignedIn,
  parameters: Parameters,
) => Promise<ControlCallers[A]>;

const membershipTtlMs = 60_000;

/** All routes share what is remembered of memberships. A tenant in the path is read anew for each request. */
export function authorization({ users, tenants, clock }: AuthorizeOptions): Authorize {
  const roles = new Cache<TenantRole>({ size: 1_000, ttlMs: membershipTtlMs, clock });

  const rules: { [A in AccessRule]: (caller: SignedIn, parameters: Parameters) => Promise<ControlCallers[A]> } = {
    signed_in: async (caller) => caller,

    member: async (caller) => {
      const tenant_id = tokenTenant(caller);
      return { ...caller, tenant_id, role: requireMember(await roleIn(tenant_id, caller)) };
    },

    owner: async (caller) => {
      const tenant_id = tokenTenant(caller);
      return { ...caller, tenant_id, role: requireOwner(await roleIn(tenant_id, caller)) };
    },

    tenant_owner: async (caller, { id = "" }) => {
      const tenant = requireTenantOwner(caller.sub, id, await tenants.get(id));
      return { ...caller, tenant_id: tenant.tenant_id, tenant };
    },

    platform_admin: async (caller) => ({
      ...caller,
      platform_role: requirePlatformAdmin(caller.platform_role),
    }),
  };

  return (access, caller, parameters) => rules[access](caller, parameters);

  function roleIn(tenantId: string, { sub }: SignedIn): Promise<TenantRole | undefined> {
    return roles.through(`${sub} ${tenantId}`, async () => {
      const [membership, tenant] = await Promise.all([users.membership(sub, tenantId), tenants.get(tenantId)]);
      return activeRole(membership, tenant);
    });
  }
}

function tokenTenant({ tenant_id }: SignedIn): string {
  if (tenant_id) return tenant_id;
  const advice = "create one with POST /v1/tenants, then renew the token";
  throw new Refusal("no_active_tenant", `The token names no workspace: ${advice}`);
}
