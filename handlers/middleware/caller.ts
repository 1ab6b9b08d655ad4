// The caller of the control plane, as far as the access rule of a route has proved who it is.
import type { AccessRule, Actor } from "../../domain/access/access-rule.ts";
import type { PlatformRole } from "../../domain/workspace/platform-role.ts";
import type { Tenant } from "../../domain/workspace/tenant.ts";

export type SignedIn = {
  sub: string;
  clientId: string;
  platformRole?: PlatformRole | undefined;
  /** When the person signed in, in milliseconds since the epoch, if the token says it. */
  signedInAt?: number | undefined;
  /** The tenant that the token names. Only for a Member and a TenantOwner has it been checked. */
  tenantId?: string | undefined;
};

/** A caller whose membership in the token's tenant was looked up, at most 60 s ago. */
export type Member = SignedIn & Actor;

export type Owner = Member & { role: "owner" };

/** The owner of the tenant that the path names. `tenantId` is that tenant; the token may name another one. */
export type TenantOwner = SignedIn & { tenantId: string; tenant: Tenant };

/** The owner of the tenant that the path names, or a platform admin, as `manages` says. */
export type TenantManager = TenantOwner & { manages: "as_owner" | "as_platform_admin" };

/** The owner of the tenant that the path names, or somebody who reads it with a role of the platform. */
export type TenantReader = TenantOwner & { readsAs?: PlatformRole | undefined };

/** A signed-in person with any role of the platform. */
export type PlatformReader = SignedIn & { platformRole: PlatformRole };

export type PlatformAdmin = SignedIn & { platformRole: "platform_admin" };

/** The caller that each access rule proves. */
export type ControlCallers = {
  signed_in: SignedIn;
  member: Member;
  owner: Owner;
  tenant_owner: TenantOwner;
  tenant_manager: TenantManager;
  tenant_reader: TenantReader;
  platform_reader: PlatformReader;
  platform_admin: PlatformAdmin;
};

export type ControlCaller = ControlCallers[AccessRule];

/** The tenant that a call is about, if the access rule proved it. A repeat of the call may come with a token for another tenant. */
export function provenTenant(caller: ControlCaller): string | undefined {
  return "role" in caller || "tenant" in caller ? caller.tenantId : undefined;
}
