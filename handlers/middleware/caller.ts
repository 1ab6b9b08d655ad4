// The caller of the control plane, as far as the access rule of a route has proved who it is.
import type { AccessRule, MemberRole } from "../../domain/access/access-rule.ts";
import type { Tenant } from "../../domain/workspace/tenant.ts";
import type { PlatformRole } from "../../domain/workspace/user.ts";

export type SignedIn = {
  sub: string;
  client_id: string;
  platform_role?: PlatformRole | undefined;
  /** The token's workspace. It is known to be the caller's only for a Member and a TenantOwner. */
  tenant_id?: string | undefined;
};

/** A caller whose membership in the token's tenant was looked up, at most 60 s ago. */
export type Member = SignedIn & { tenant_id: string; role: MemberRole };

export type Owner = Member & { role: "owner" };

/** The owner of the tenant that the path names; `tenant_id` is that tenant's, and the token may name another. */
export type TenantOwner = SignedIn & { tenant_id: string; tenant: Tenant };

/** The owner of the tenant that the path names, or a platform admin, as `manages` says. */
export type TenantManager = TenantOwner & { manages: "as_owner" | "as_platform_admin" };

export type PlatformAdmin = SignedIn & { platform_role: "platform_admin" };

/** The caller as each access rule proves it. */
export type ControlCallers = {
  signed_in: SignedIn;
  member: Member;
  owner: Owner;
  tenant_owner: TenantOwner;
  tenant_manager: TenantManager;
  platform_admin: PlatformAdmin;
};

export type ControlCaller = ControlCallers[AccessRule];

/** The tenant that a call is about, if the access rule proved it. A repeated call may come with a token of another workspace. */
export function provenTenant(caller: ControlCaller): string | undefined {
  return "role" in caller || "tenant" in caller ? caller.tenant_id : undefined;
}
