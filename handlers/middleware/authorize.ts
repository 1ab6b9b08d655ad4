// Looks up what a route's access rule needs to know of a signed-in caller. domain/access/access-rule.ts has the rules.
import {
  type AccessRule,
  activeRole,
  requireMember,
  requireOpen,
  requireOwner,
  requirePlatformAdmin,
  requireTenantOwner,
} from "../../domain/access/access-rule.ts";
import { Cache } from "../../domain/kernel/cache.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { TenantStatus, TenantStore } from "../../domain/workspace/tenant.ts";
import type { TenantRole, UserStore } from "../../domain/workspace/user.ts";
import type { ControlCallers, SignedIn } from "./caller.ts";

type AuthorizeOptions = {
  users: Pick<UserStore, "membership">;
  tenants: Pick<TenantStore, "get">;
  clock: () => number;
};

/** A parameter of the path, decoded. */
type Parameters = Readonly<Record<string, string>>;

/**
 * Refuses with no_active_tenant, tenant_suspended, role_missing or not_found.
 * @param openIn the last status of the tenant in which the route is still open; any unless given
 */
type Authorize = <A extends AccessRule>(
  access: A,
  caller: SignedIn,
  parameters: Parameters,
  openIn?: TenantStatus,
) => Promise<ControlCallers[A]>;

type Rule<A extends AccessRule> = (
  caller: SignedIn,
  parameters: Parameters,
  openIn: TenantStatus,
) => Promise<ControlCallers[A]>;

/** The part of a membership that is remembered. */
type Standing = { role: TenantRole; status: TenantStatus };

const membershipTtlMs = 60_000;

/** All routes share the remembered memberships. A tenant in the path is read anew for each request. */
export function authorization({ users, tenants, clock }: AuthorizeOptions): Authorize {
  const standings = new Cache<Standing>({ size: 1_000, ttlMs: membershipTtlMs, clock });

  const rules: { [A in AccessRule]: Rule<A> } = {
    signed_in: async (caller) => caller,

    member: async (caller, _, openIn) => {
      const tenant_id = tokenTenant(caller);
      return { ...caller, tenant_id, role: requireMember(await roleIn(tenant_id, caller, openIn)) };
    },

    owner: async (caller, _, openIn) => {
      const tenant_id = tokenTenant(caller);
      return { ...caller, tenant_id, role: requireOwner(await roleIn(tenant_id, caller, openIn)) };
    },

    tenant_owner: async (caller, { id = "" }, openIn) => {
      const tenant = requireTenantOwner(caller.sub, id, await tenants.get(id));
      requireOpen(tenant.status, openIn);
      return { ...caller, tenant_id: tenant.tenant_id, tenant };
    },

    tenant_manager: async (caller, { id = "" }, openIn) => {
      const found = await tenants.get(id);
      if (found && caller.platform_role === "platform_admin") {
        return { ...caller, tenant_id: found.tenant_id, tenant: found, manages: "as_platform_admin" };
      }
      const tenant = requireTenantOwner(caller.sub, id, found);
      requireOpen(tenant.status, openIn);
      return { ...caller, tenant_id: tenant.tenant_id, tenant, manages: "as_owner" };
    },

    platform_admin: async (caller) => ({
      ...caller,
      platform_role: requirePlatformAdmin(caller.platform_role),
    }),
  };

  return (access, caller, parameters, openIn = "deleted") => rules[access](caller, parameters, openIn);

  async function roleIn(tenantId: string, { sub }: SignedIn, openIn: TenantStatus): Promise<TenantRole | undefined> {
    const standing = await standings.through(`${sub} ${tenantId}`, async () => {
      const [membership, tenant] = await Promise.all([users.membership(sub, tenantId), tenants.get(tenantId)]);
      const role = activeRole(membership, tenant);
      return role && { role, status: tenant?.status ?? "active" };
    });
    if (standing) requireOpen(standing.status, openIn);
    return standing?.role;
  }
}

function tokenTenant({ tenant_id }: SignedIn): string {
  if (tenant_id) return tenant_id;
  const advice = "create one with POST /v1/tenants, then renew the token";
  throw new Refusal("no_active_tenant", `The token names no workspace: ${advice}`);
}
