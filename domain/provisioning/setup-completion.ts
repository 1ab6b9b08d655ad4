// Completes the setup of a tenant whose creation was cut off, and ends the billing of a deleted one.
import type { Log } from "../kernel/log.ts";
import type { SetupStep, TenantStore } from "../workspace/tenant.ts";
import { type OutsideResources, setUpOutside } from "./outside-resources.ts";
import { runPendingSteps, type StepEffect } from "./setup-steps.ts";

/** The list of tenants that the reconciliation has to check. */
export interface UncheckedTenants {
  /** Ids of the tenants that were created until that time, in ISO 8601, and have not been looked at since. */
  unchecked(until: string): AsyncIterable<string>;
  /** Notes that the tenant was checked and lacks nothing. */
  checked(tenantId: string): Promise<void>;
}

export type CompletionDependencies = {
  tenants: Pick<TenantStore, "get">;
  unchecked: UncheckedTenants;
  /** The steps whose effects are rows of the table. */
  effects: Partial<Record<SetupStep, StepEffect>>;
  outside: readonly OutsideResources[];
  /** Ends a deleted tenant's billing; false while some of its usage is still to be reported. Absent without billing. */
  endBilling?: ((tenantId: string) => Promise<boolean>) | undefined;
  log: Log;
};

/**
 * Carries out all that a tenant lacks, or what its deletion has left to do. A step that fails holds up none of the others: access
 * does not wait for a key.
 * @throws the first failure, once all steps were tried; a repeat goes on.
 */
export async function completeSetup(deps: CompletionDependencies, tenantId: string): Promise<void> {
  const { tenants, unchecked, outside, endBilling } = deps;
  const tenant = await tenants.get(tenantId);
  if (!tenant) return;
  if (tenant.status === "deleted") {
    // Usage that is still to be reported keeps the tenant unchecked, so that the next run looks at it again.
    if ((await endBilling?.(tenantId)) === false) return;
  } else {
    const [steps, others] = await Promise.allSettled([runPendingSteps(deps, tenant), setUpOutside(outside, tenant)]);
    for (const outcome of [steps, others]) if (outcome.status === "rejected") throw outcome.reason;
    // A step that waits keeps the tenant unchecked, too.
    if (steps.status === "fulfilled" && !steps.value) return;
  }
  await unchecked.checked(tenantId);
}
