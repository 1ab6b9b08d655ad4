// What the function of the tenants' keys works with; wiring.ts brings the real ones.
import type { Log } from "../../domain/kernel/log.ts";
import type { StackKeys } from "../../domain/provisioning/orphaned-keys.ts";
import type { SetupManifest } from "../../domain/provisioning/setup-manifest.ts";
import type { TenantKeys } from "../../domain/provisioning/tenant-key.ts";
import type { TenantStore } from "../../domain/workspace/tenant.ts";

export type TenantKeysDependencies = {
  keys: TenantKeys & StackKeys;
  manifest: SetupManifest;
  tenants: Pick<TenantStore, "get" | "many">;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};
