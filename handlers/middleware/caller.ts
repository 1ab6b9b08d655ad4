// Who calls the control plane, as far as a route needs to know.
import type { PlatformRole, Role } from "../../domain/tenancy/user.ts";

export type SignedIn = {
  sub: string;
  client_id: string;
  platform_role?: PlatformRole | undefined;
  /** Of the token; only for a Member is it known to be true. */
  tenant_id?: string | undefined;
};

/** A caller whose membership in the token's tenant was looked up, at most 60 s ago. */
export type Member = SignedIn & { tenant_id: string; role: Role };
