// The tenants' keys: other functions invoke this one to have a key made or removed, and its schedule
// removes keys without a tenant and renews the policy of the others. It also encrypts what skills keep under those keys, and decrypts nothing.

import type { ActionRequest } from "../../actions/action.ts";
import { tenantKeysActions } from "../../actions/tenant-keys.ts";
import { type Log, scheduledWorkDone } from "../../domain/kernel/log.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { requireDeleted } from "../../domain/provisioning/outside-resources.ts";
import type { SetupManifest } from "../../domain/provisioning/setup-manifest.ts";
import { runPendingSteps } from "../../domain/provisioning/setup-steps.ts";
import { keyEffect, removeKeys, type TenantKeys } from "../../domain/provisioning/tenant-key.ts";
import { type StackKeys, tendKeys } from "../../domain/provisioning/tended-keys.ts";
import type { KeyedSealer } from "../../domain/secrets/secret.ts";
import type { AuditEntry } from "../../domain/workspace/audit.ts";
import type { Tenant, TenantStore } from "../../domain/workspace/tenant.ts";
import { answerActions } from "../actions.ts";
import type { ScheduledEvent } from "../middleware/scheduled-jobs.ts";

export type TenantKeysDependencies = {
  keys: TenantKeys & StackKeys;
  sealer: KeyedSealer;
  manifest: SetupManifest;
  tenants: Pick<TenantStore, "get" | "many">;
  audit: { note(entry: AuditEntry): Promise<void> };
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** A new UUID. */
  newId: () => string;
};

export function tenantKeysHandler(deps: TenantKeysDependencies) {
  const { keys, manifest, tenants, sealer, log } = deps;
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
      async seal_secret({ tenant_id, name, value }) {
        const keyArn = requireKey(await tenants.get(tenant_id));
        return { sealed: await sealer.seal(keyArn, { tenantId: tenant_id, name }, value) };
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

/** @throws Refusal not_found or workspace_incomplete */
function requireKey(tenant: Tenant | undefined): string {
  if (!tenant) throw new Refusal("not_found", "There is no such workspace");
  if (tenant.kms_cmk_arn !== undefined) return tenant.kms_cmk_arn;
  const message = "The workspace's encryption key is still being made: try again in a few minutes";
  throw new Refusal("workspace_incomplete", message);
}
