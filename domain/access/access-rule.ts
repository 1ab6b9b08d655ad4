// Who may use a route of the control plane. handlers/middleware/authorize.ts looks up the facts that these rules need.
import { Refusal } from "../kernel/refusal.ts";
import type { Membership, TenantRole } from "../people/user.ts";
import type { Author } from "../workspace/audit.ts";
import type { PlatformRole } from "../workspace/platform-role.ts";
import { type Tenant, type TenantStatus, tenantStatuses } from "../workspace/tenant.ts";

/**
 * What a route asks of its caller beyond a token with the scope that opens the route:
 * - `signed_in`: nothing more
 * - `member`: an active membership in the token's tenant, as owner or developer
 * - `owner`: that membership, with the role owner
 * - `tenant_owner`: to be the `owner_sub` of the tenant that the path names as `{id}`, whatever the token's tenant is
 * - `tenant_manager`: to be that owner, or a platform admin
 * - `tenant_reader`: to be that owner, or to have a role of the platform
 * - `platform_admin`: that role of the platform in the token
 * - `platform_reader`: any role of the platform in the token
 */
export type AccessRule =
  | ("signed_in" | "member" | "owner")
  | ("tenant_owner" | "tenant_manager" | "tenant_reader")
  | ("platform_admin" | "platform_reader");

/** How long ago the sign-in of somebody may be who deletes a workspace: whoever finds an open browser or a stolen token cannot. */
const recentMs = 600_000;

/**
 * @param signedInAt milliseconds since the epoch; undefined for a token that does not say
 * @throws Refusal sign_in_too_old.
 */
export function requireRecentSignIn(signedInAt: number | undefined, now: number): void {
  if (signedInAt !== undefined && now - signedInAt <= recentMs) return;
  throw new Refusal("sign_in_too_old", `This needs a sign-in of the last ${recentMs / 60_000} minutes: sign in again`);
}

/** The roles of people in a workspace. A service account only calls the proxy. */
export type MemberRole = Exclude<TenantRole, "service_account">;

/** A person who acts in a workspace, in the role that their membership gives them. */
export type Actor = Author & { role: MemberRole };

/**
 * The role that a membership gives now; undefined before the person has signed in and after a removal. A suspended tenant keeps its
 * members.
 * @throws Refusal tenant_suspended if the tenant is deleted.
 */
export function activeRole(membership: Membership | undefined, tenant: Tenant | undefined): TenantRole | undefined {
  if (membership?.status !== "active") return undefined;
  if (tenant?.status === "deleted") throw new Refusal("tenant_suspended", "The workspace is deleted");
  return membership.tenant_role;
}

/** @throws Refusal role_missing. */
export function requireMember(role: TenantRole | undefined): MemberRole {
  if (role === "owner" || role === "developer") return role;
  throw roleMissing("the role owner or developer", role);
}

/** @throws Refusal role_missing. */
export function requireOwner(role: TenantRole | undefined): "owner" {
  if (role === "owner") return role;
  throw roleMissing("the role owner", role);
}

/**
 * Returns the tenant in any status.
 * @param membership the caller's in another person's tenant
 * @throws Refusal role_missing for a member; not_found for everybody else, in the same words for another person's tenant and for one that does not exist.
 */
export function requireTenantOwner(
  sub: string,
  id: string,
  tenant: Tenant | undefined,
  membership?: Membership | undefined,
): Tenant {
  if (tenant?.owner_sub === sub) return tenant;
  if (tenant && membership?.status === "active") throw roleMissing("the role owner", membership.tenant_role);
  throw new Refusal("not_found", `id: there is no workspace ${id} here`);
}

/**
 * @param openIn the last status, in the order active, suspended, deleted, in which the route is open
 * @throws Refusal tenant_suspended.
 */
export function requireOpen(status: TenantStatus, openIn: TenantStatus): void {
  if (tenantStatuses.indexOf(status) <= tenantStatuses.indexOf(openIn)) return;
  const message =
    status === "deleted"
      ? "The workspace is deleted"
      : "The workspace is suspended: reading, taking access away, billing and deletion stay open. GET /v1/tenants/{id} tells its owner the reason";
  throw new Refusal("tenant_suspended", message);
}

/** @throws Refusal role_missing. */
export function requirePlatformAdmin(role: PlatformRole | undefined): "platform_admin" {
  if (role === "platform_admin") return role;
  throw new Refusal("role_missing", "This needs the platform role platform_admin");
}

/** Every role of the platform reads. @throws Refusal role_missing. */
export function requirePlatformRole(role: PlatformRole | undefined): PlatformRole {
  if (role) return role;
  throw new Refusal("role_missing", "This needs the platform role platform_admin or platform_support");
}

function roleMissing(needed: string, role: TenantRole | undefined): Refusal {
  const found = role ? `yours is ${role}` : "you are not a member of the token's workspace";
  return new Refusal("role_missing", `This needs ${needed}; ${found}`);
}
