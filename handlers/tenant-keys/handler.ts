// The tenants' keys: other functions invoke this one to have a key made or removed, and its schedule removes keys without a tenant.
import { removeOrphanedKeys } from "../../domain/provisioning/orphaned-keys.ts";
import { requireDeleted } from "../../domain/provisioning/outside-resources.ts";
import { runPendingSteps } from "../../domain/provisioning/setup-steps.ts";
import { keyEffect, removeKeys } from "../../domain/provisioning/tenant-key.ts";
import { type ActionRequest, answerActions } from "../actions.ts";
import type { ScheduledEvent } from "../middleware/scheduled-jobs.ts";
import { tenantKeysActions } from "./actions.ts";
import type { TenantKeysDependencies } from "./dependencies.ts";

export function tenantKeysHandler(deps: TenantKeysDependencies) {
  const { keys, manifest, tenants, log } = deps;
  const effects = { kms_key: keyEffect(deps) };

  const answer = answerActions(
    tenantKeysActions,
    {
      async set_up({ tenant_id }) {
        await runPendingSteps({ effects, log }, await tenants.get(tenant_id));
        return {};
      },
      async remove({ tenant_id }) {
        await requireDeleted(tenants, tenant_id);
        const noted = await manifest.resource(tenant_id, "kms_key");
        return { removed: { kms_key: await removeKeys(keys, tenant_id, noted) } };
      },
    },
    log,
  );

  return async (event: ActionRequest | ScheduledEvent) => {
    if ("action" in event) return answer(event);
    try {
      await removeOrphanedKeys(deps);
      return undefined;
    } catch (error) {
      log.problem("Keys without a tenant could not be removed", {}, error);
      throw error;
    }
  };
}
