// A tenant's setup after its row: the effects outside the table, and whatever else a creation that was cut off still lacks.
import * as z from "zod";
import type { Customer } from "../billing/customer.ts";
import type { Log } from "../kernel/log.ts";
import { type OutsideStep, outsideSteps, type SetupStep, type Tenant, type TenantStore } from "../workspace/tenant.ts";

/** One run's hold on a step; times in milliseconds. */
export type Claim = {
  until: number;
  /** Another run had the step before, and may have done anything of it. */
  isRepeat: boolean;
  /** What an earlier run noted. */
  resource?: string | undefined;
};

type Held = {
  resource: string;
  /** The claim's, by which nobody else writes. */
  until: number;
};

/** The records of setups: what is intended, at work or done outside the table, and which tenants are to be looked at. */
export interface TenantSetups {
  /** `taken` while another run holds the step; `gone` if the tenant is not there, is deleted or has the step done. */
  claim(tenantId: string, step: OutsideStep, hold: { now: number; until: number }): Promise<Claim | "taken" | "gone">;
  /** Records what was made before it is complete. False if the claim is over. */
  note(tenantId: string, step: OutsideStep, held: Held): Promise<boolean>;
  /**
   * The step is done: on the manifest, and on the tenant with these attributes.
   * @throws Error if the claim is over, or the customer by which it was done has changed since it was read
   */
  done(
    tenantId: string,
    step: OutsideStep,
    held: Held & { attributes: Partial<Tenant>; customer?: Customer },
  ): Promise<void>;
  /** What an earlier run noted of the step. */
  resource(tenantId: string, step: OutsideStep): Promise<string | undefined>;
  /** Writes the rows by which a tenant is found and counted, where an earlier version wrote none. */
  restore(tenant: Tenant): Promise<void>;
  /** Ids of the tenants that were created until that time, in ISO 8601, and not looked at since. */
  unchecked(until: string): AsyncIterable<string>;
  /** The tenant was looked at, and lacks nothing. */
  checked(tenantId: string): Promise<void>;
}

export const setupJobSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("tenant"), tenant_id: z.string() }),
  /** A page of all people, from the beginning without `after`. */
  z.object({ kind: z.literal("people"), after: z.string().optional() }),
]);

export type SetupJob = z.output<typeof setupJobSchema>;

export type SetupDependencies = {
  tenants: Pick<TenantStore, "get">;
  /** A step that nobody provides yet stays pending. */
  effects: Partial<Record<SetupStep, (tenant: Tenant) => Promise<unknown>>>;
  setups: TenantSetups;
  /** Ends a deleted tenant's billing; false while something of it is still to be reported. Absent without billing. */
  endBilling?: ((tenant: Tenant) => Promise<boolean>) | undefined;
  log: Log;
};

/** Carries out what lies outside the table. @throws the first failure, once all steps were tried */
export async function setUpOutside(deps: SetupDependencies, tenantId: string): Promise<void> {
  await carryOut(deps, await deps.tenants.get(tenantId), outsideSteps);
}

/**
 * Carries out all that a tenant lacks, or what its deletion has left to do. A step that fails holds up none of the others: access does not wait for a key.
 * @throws the first failure, once all steps were tried; a repeat goes on.
 */
export async function completeSetup(deps: SetupDependencies, tenantId: string): Promise<void> {
  const tenant = await deps.tenants.get(tenantId);
  if (tenant) await deps.setups.restore(tenant);
  // Looked at again by the next sweep.
  if (tenant?.status === "deleted" && (await deps.endBilling?.(tenant)) === false) return;
  await carryOut(deps, tenant, ["free_credit", "membership", ...outsideSteps]);
  if (tenant) await deps.setups.checked(tenantId);
}

async function carryOut({ effects, log }: SetupDependencies, tenant: Tenant | undefined, steps: readonly SetupStep[]) {
  if (!tenant || tenant.status === "deleted") return;
  const failures: unknown[] = [];
  for (const step of steps.filter((one) => tenant.setup_state.pending.includes(one))) {
    try {
      await effects[step]?.(tenant);
    } catch (error) {
      log.problem("A step of a tenant's setup failed", { tenant_id: tenant.tenant_id, step }, error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
