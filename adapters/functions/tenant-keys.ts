// The tenants' keys, which the function `tenant-keys` makes and removes, and with which it seals.

import { tenantKeysActions } from "../../actions/tenant-keys.ts";
import type { OutsideResources } from "../../domain/provisioning/outside-resources.ts";
import type { SecretSealer } from "../../domain/secrets/secret.ts";
import type { Invocation } from "./invocation.ts";

export function askedTenantKeys(arn: string, invoke: Invocation): OutsideResources & SecretSealer {
  const ask = invoke({ name: "tenant-keys", arn, actions: tenantKeysActions });
  return {
    steps: ["kms_key"],
    setUp: async (tenantId) => void (await ask("set_up", { tenant_id: tenantId })),
    async seal({ tenantId, name }, value) {
      return (await ask("seal_secret", { tenant_id: tenantId, name, value })).sealed;
    },
    remove: async (tenantId) => (await ask("remove", { tenant_id: tenantId })).removed,
  };
}
