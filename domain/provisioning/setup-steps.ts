// The steps of a tenant's setup that one function carries out. A step that fails holds up none of the others.
import type { Log } from "../kernel/log.ts";
import { type SetupStep, setupSteps, type Tenant } from "../workspace/tenant.ts";

/** Carries a step out and records it as done, or gives "pending" if it has to wait. May be repeated. */
export type StepEffect = (tenant: Tenant) => Promise<unknown>;

type StepsDependencies = { effects: Partial<Record<SetupStep, StepEffect>>; log: Log };

/**
 * Carries out those of the effects that the tenant still lacks.
 * @returns whether none of them has to wait
 * @throws the first failure, once all steps were tried
 */
export async function runPendingSteps(
  { effects, log }: StepsDependencies,
  tenant: Tenant | undefined,
): Promise<boolean> {
  if (!tenant || tenant.status === "deleted") return true;
  let isDone = true;
  const failures: unknown[] = [];
  for (const step of setupSteps.filter((one) => tenant.setup_state.pending.includes(one))) {
    try {
      if ((await effects[step]?.(tenant)) === "pending") isDone = false;
    } catch (error) {
      log.problem("A step of a tenant's setup failed", { tenant_id: tenant.tenant_id, step }, error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return isDone;
}
