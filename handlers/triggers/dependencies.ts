// What the user pool's triggers work with; wiring.ts brings the real ones.
import type { Log } from "../../domain/log.ts";
import type { TenantStore } from "../../domain/tenancy/tenant.ts";
import type { UserStore } from "../../domain/tenancy/user.ts";

export type TriggersDependencies = {
  users: UserStore;
  tenants: Pick<TenantStore, "get">;
  /** Verified e-mail addresses, in lower case. */
  platformAdmins: string[];
  /** Milliseconds since the epoch. */
  clock: () => number;
  log: Log;
};
