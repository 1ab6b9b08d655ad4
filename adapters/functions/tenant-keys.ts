// The tenants' keys, which the function `tenant-keys` makes and removes.
import type { OutsideResources } from "../../domain/provisioning/outside-resources.ts";
import { tenantKeysActions } from "../../handlers/tenant-keys/actions.ts";
import type { Invocation } from "./invocation.ts";

export function askedTenantKeys(arn: string, invoke: Invocation): OutsideResources {
  const ask = invoke({ name: "tenant-keys", arn, actions: tenantKeysActions });
  return {
    steps: ["kms_key"],
    setUp: async (tenantId) => void (await ask("set_up", { tenant_id: tenantId })),
    remove: async (tenantId) => (await ask("remove", { tenant_id: tenantId })).removed,
  };
}
