// Who calls the control plane: a token with its scope, and, where a route asks for it, the membership in the token's tenant.
import type { MiddlewareObj } from "@middy/core";
import {
  type Claims,
  KeySetUnavailable,
  presentedCredentials,
  type TokenVerifier,
} from "../../domain/access/credential.ts";
import { holdsScope } from "../../domain/access/scope.ts";
import { Cache } from "../../domain/cache.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { TenantStore } from "../../domain/tenancy/tenant.ts";
import type { Role, UserStore } from "../../domain/tenancy/user.ts";
import type { Member, SignedIn } from "./caller.ts";
import type { ObservedEvent } from "./observe.ts";

export type Authentication = {
  tokens: TokenVerifier;
  users: Pick<UserStore, "membership">;
  tenants: Pick<TenantStore, "get">;
  scopePrefix: string;
  clock: () => number;
};

const membershipTtlMs = 60_000;

/** Gives a middleware for each kind of route; all share what is remembered of memberships. */
export function authentication(options: Authentication) {
  const roles = new Cache<Role>({ size: 1_000, ttlMs: membershipTtlMs, clock: options.clock });

  return (who: "signed_in" | "member" | "owner"): MiddlewareObj<ObservedEvent> => ({
    before: async ({ event }) => {
      const { sub, client_id, tenant_id, platform_role } = await claimsOf(event, options);
      const caller: SignedIn = { sub, client_id, tenant_id, platform_role };
      event.caller = caller;
      if (who !== "signed_in") event.caller = await memberOf(caller, who, options, roles);
    },
  });
}

async function claimsOf(event: ObservedEvent, { tokens, scopePrefix }: Authentication): Promise<Claims> {
  const { token } = presentedCredentials(event.headers);
  const needed = 'This needs a token with the scope "control:manage"';
  if (!token) throw new Refusal("scope_missing", `${needed}; an API key can only call the proxy`);
  const claims = await tokens.verify(token).catch((error) => {
    if (!(error instanceof KeySetUnavailable)) throw error;
    const message = "Tokens cannot be verified right now, try again";
    throw new Refusal("identity_unavailable", message, { retryAfterSeconds: 5, cause: error });
  });
  if (!holdsScope(claims.scope, "control:manage", scopePrefix)) throw new Refusal("scope_missing", needed);
  return claims;
}

async function memberOf(
  caller: SignedIn,
  who: "member" | "owner",
  options: Authentication,
  roles: Cache<Role>,
): Promise<Member> {
  const { sub, tenant_id } = caller;
  if (!tenant_id) {
    const advice = "create one with POST /v1/tenants, then renew the token";
    throw new Refusal("no_active_tenant", `The token names no workspace: ${advice}`);
  }
  const role = await roles.through(`${sub} ${tenant_id}`, () => activeRole(sub, tenant_id, options));
  const needed = who === "owner" ? "the role owner" : "the role owner or developer";
  if (!role) throw new Refusal("role_missing", `This needs ${needed}; you are not a member of the token's workspace`);
  if (role !== "owner" && (who === "owner" || role !== "developer")) {
    throw new Refusal("role_missing", `This needs ${needed}; yours is ${role}`);
  }
  return { ...caller, tenant_id, role };
}

async function activeRole(
  sub: string,
  tenantId: string,
  { users, tenants }: Authentication,
): Promise<Role | undefined> {
  const [membership, tenant] = await Promise.all([users.membership(sub, tenantId), tenants.get(tenantId)]);
  if (membership?.status !== "active") return undefined;
  if (tenant?.status === "deleted") throw new Refusal("tenant_suspended", "The workspace is deleted");
  return membership.tenant_role;
}
