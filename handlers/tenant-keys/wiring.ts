// The dependencies on AWS of the tenants' keys.
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { setupManifest } from "../../adapters/dynamodb/provisioning/setup-manifests.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { kmsKeys } from "../../adapters/kms.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import type { Env } from "../contract.ts";
import type { tenantKeys } from "./contract.ts";
import type { TenantKeysDependencies } from "./handler.ts";

export function tenantKeysDependencies(env: Env<typeof tenantKeys>): TenantKeysDependencies {
  const client = documentClient();
  return {
    keys: kmsKeys({ stack: env.STACK_NAME, policy: env.KEY_POLICY }),
    manifest: setupManifest(client, env.TABLE_NAME),
    tenants: tenantStore(client, env.TABLE_NAME),
    log: powertoolsLog("tenant-keys"),
    clock: Date.now,
  };
}
