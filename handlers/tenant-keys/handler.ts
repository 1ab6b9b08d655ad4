// The tenants' keys: other functions invoke this one to have a key made or removed, and its schedule
// removes keys without a tenant and renews the policy of the others.
import { type Log, scheduledWorkDone } from "../../domain/kernel/log.ts";
import { requireDeleted } from "../../domain/provisioning/outside-resources.ts";
import type { SetupManifest } from "../../domain/provisioning/setup-manifest.ts";
import { runPendingSteps } from "../../domain/provisioning/setup-steps.ts";
import { keyEffect, removeKeys, type TenantKeys } from "../../domain/provisioning/tenant-key.ts";
import { type StackKeys, tendKeys } from "../../domain/provisioning/tended-keys.ts";
import type { TenantStore } from "../../domain/workspace/tenant.ts";
import { type ActionRequest, answerActions } from "../actions.ts";
import type { ScheduledEvent } from "../middleware/scheduled-jobs.ts";
import { tenantKeysActions } from "./actions.ts";

export type TenantKeysDependencies = {
  keys: TenantKeys & StackKeys;
  manifest: SetupManifest;
  tenants: Pick<TenantStore, "get" | "many">;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

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
      await tendKeys(deps);
      log.info(scheduledWorkDone, {});
      return undefined;
    } catch (error) {
      log.problem("The stack's keys could not be tended", {}, error);
      throw error;
    }
  };
}
