// Authorizes a signed-in caller for a route: looks up the facts that the access rule needs (domain/access/access-rule.ts).
import {
  type AccessRule,
  activeRole,
  requireMember,
  requireOpen,
  requireOwner,
  requirePlatformAdmin,
  requirePlatformRole,
  requireTenantOwner,
} from "../../domain/access/access-rule.ts";
import { Cache, configurationTtlMs } from "../../domain/kernel/cache.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { together } from "../../domain/kernel/together.ts";
import type { TenantRole, UserStore } from "../../domain/people/user.ts";
import type { Tenant, TenantStatus, TenantStore } from "../../domain/workspace/tenant.ts";
import type { ControlCallers, SignedIn } from "./caller.ts";

type AuthorizeOptions = {
  users: Pick<UserStore, "membership">;
  tenants: Pick<TenantStore, "get">;
  clock: () => number;
};

/** The parameters of the path, decoded. */
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

/** The part of a membership that is cached. */
type Standing = { role: TenantRole; status: TenantStatus };

/** All routes share one cache of memberships. A tenant in the path is read for each request. */
export function authorization({ users, tenants, clock }: AuthorizeOptions): Authorize {
  const standings = new Cache<Standing>({ size: 1_000, ttlMs: configurationTtlMs, clock });

  const rules: { [A in AccessRule]: Rule<A> } = {
    signed_in: async (caller) => caller,

    member: async (caller, _, openIn) => {
      const tenantId = tokenTenant(caller);
      return { ...caller, tenantId, role: requireMember(await roleIn(tenantId, caller, openIn)) };
    },

    owner: async (caller, _, openIn) => {
      const tenantId = tokenTenant(caller);
      return { ...caller, tenantId, role: requireOwner(await roleIn(tenantId, caller, openIn)) };
    },

    tenant_owner: async (caller, { id = "" }, openIn) => {
      const tenant = await ownedTenant(caller, id, await tenants.get(id));
      requireOpen(tenant.status, openIn);
      return { ...caller, tenantId: tenant.tenant_id, tenant };
    },

    tenant_manager: async (caller, { id = "" }, openIn) => {
      const found = await tenants.get(id);
      if (found && caller.platformRole === "platform_admin") {
        return { ...caller, tenantId: found.tenant_id, tenant: found, manages: "as_platform_admin" };
      }
      const tenant = await ownedTenant(caller, id, found);
      requireOpen(tenant.status, openIn);
      return { ...caller, tenantId: tenant.tenant_id, tenant, manages: "as_owner" };
    },

    tenant_reader: async (caller, { id = "" }, openIn) => {
      const found = await tenants.get(id);
      if (found && caller.platformRole) {
        return { ...caller, tenantId: found.tenant_id, tenant: found, readsAs: caller.platformRole };
      }
      const tenant = await ownedTenant(caller, id, found);
      requireOpen(tenant.status, openIn);
      return { ...caller, tenantId: tenant.tenant_id, tenant };
    },

    platform_admin: async (caller) => ({
      ...caller,
      platformRole: requirePlatformAdmin(caller.platformRole),
    }),

    platform_reader: async (caller) => ({
      ...caller,
      platformRole: requirePlatformRole(caller.platformRole),
    }),
  };

  return (access, caller, parameters, openIn = "deleted") => rules[access](caller, parameters, openIn);

  async function ownedTenant({ sub }: SignedIn, id: string, found: Tenant | undefined): Promise<Tenant> {
    const isOthers = found !== undefined && found.owner_sub !== sub;
    return requireTenantOwner(sub, id, found, isOthers ? await users.membership(sub, id) : undefined);
  }

  async function roleIn(tenantId: string, { sub }: SignedIn, openIn: TenantStatus): Promise<TenantRole | undefined> {
    const standing = await standings.through(`${sub} ${tenantId}`, async () => {
      const [membership, tenant] = await together([users.membership(sub, tenantId), tenants.get(tenantId)]);
      const role = activeRole(membership, tenant);
      return role && { role, status: tenant?.status ?? "active" };
    });
    if (standing) requireOpen(standing.status, openIn);
    return standing?.role;
  }
}

function tokenTenant({ tenantId }: SignedIn): string {
  if (tenantId) return tenantId;
  const advice = "create one with POST /v1/tenants, then renew the token";
  throw new Refusal("no_active_tenant", `The token names no workspace: ${advice}`);
}
