// Creating a tenant: six effects in the specification's order, each safe to repeat, so that a creation cut off goes on later.
import type { Log } from "../kernel/log.ts";
import type { Queue } from "../kernel/queue.ts";
import { Refusal } from "../kernel/refusal.ts";
import { type AuditEntry, auditEntry } from "../workspace/audit.ts";
import { slugTaken } from "../workspace/slug.ts";
import {
  type OutsideStep,
  outsideSteps,
  type SetupStep,
  setupSteps,
  type Tenant,
  type TenantStore,
} from "../workspace/tenant.ts";
import { type OutsideResources, setUpOutside } from "./outside-resources.ts";
import type { SetupJob } from "./reconcile.ts";

/** A later step of the creation. It records itself as done together with its effect, or gives "pending". */
type Step = (tenant: Tenant) => Promise<unknown>;

/** The six effects in their order. An effect that nobody provides yet stays pending in `setup_state`. */
export type TenantEffects = {
  /**
   * 1. Writes the tenant, its slug reservation and, as intended, what will exist outside the table: all or nothing.
   * Gives the tenant that is there afterwards: this one, an earlier attempt's of the same id, or the tenant that holds the slug.
   * Its `creationEntry` is part of it. Throws Refusal workspace_limit_reached if the owner has as many tenants as a person may.
   */
  tenant_row(draft: Tenant): Promise<Tenant>;
  /** 2. The tenant's encryption key. */
  kms_key?: Step;
  /** 3. The owner's payment customer, reused or created. */
  stripe_customer?: Step;
  /** 4. The metered subscription. */
  stripe_subscription?: Step;
  /** 5. The free credit. */
  free_credit: Step;
  /** 6. The owner's membership, and the tenant as the owner's active workspace: what opens access, hence last. */
  membership: Step;
};

/**
 * How long an unfinished creation may still be running. Whoever comes later with the same name takes it for cut off and
 * goes on with it. A request to the control plane ends well before.
 */
const cutOffAfterMs = 60_000;
/** After this time the run that failed has lost its claim on the step, and the request is over. */
const goesOnAfterSeconds = 120;

/**
 * Carries out what is not done yet.
 * @throws Refusal slug_taken if another tenant holds the slug; workspace_incomplete if the owner's own request of a moment ago is making it.
 */
export async function createTenant(effects: TenantEffects, draft: Tenant): Promise<Tenant> {
  const tenant = await effects.tenant_row(draft);
  if (tenant.tenant_id !== draft.tenant_id) {
    if (!isUnfinished(tenant, draft)) throw slugTaken(draft.slug);
    const goesOnIn = Date.parse(tenant.created_at) + cutOffAfterMs - Date.parse(draft.created_at);
    if (goesOnIn >= 0) throw isBeingMade(Math.ceil(goesOnIn / 1000) + 1);
  }
  const pending: SetupStep[] = [];
  for (const step of setupSteps) {
    if (!tenant.setup_state.pending.includes(step)) continue;
    const effect = effects[step];
    const outcome = effect ? await effect(tenant) : "pending";
    if (outcome === "pending") pending.push(step);
  }
  return { ...tenant, setup_state: { pending } };
}

/** The audit entry is made from the draft alone, so that a repeat writes the same entry. */
export function creationEntry(draft: Tenant): AuditEntry {
  const { tenant_id, owner_sub, setup_state: _setup, ...after } = draft;
  const change = { tenant_id, actor: owner_sub, action: "tenant.create", target: tenant_id, after } as const;
  return auditEntry(change, { id: tenant_id, now: Date.parse(draft.created_at) });
}

type OutsideDependencies = {
  outside: readonly OutsideResources[];
  tenants: Pick<TenantStore, "get">;
  jobs: Pick<Queue<SetupJob>, "send">;
  log: Log;
};

/**
 * The effects outside the table, for one creation: asked for once, all together. An effect that fails holds up nobody: it stays
 * pending, and a job goes on with it. If the job cannot be queued, the hourly reconciliation finds the tenant.
 */
export function outsideEffects({ outside, tenants, jobs, log }: OutsideDependencies): Record<OutsideStep, Step> {
  let asked: Promise<readonly SetupStep[]> | undefined;
  const ask = async (tenant: Tenant): Promise<readonly SetupStep[]> => {
    const {
      tenant_id,
      setup_state: { pending },
    } = tenant;
    try {
      await setUpOutside(outside, tenant);
      return (await tenants.get(tenant_id))?.setup_state.pending ?? pending;
    } catch (error) {
      log.problem("A tenant's setup goes on later", { tenant_id }, error);
      const job = jobs.send({ kind: "tenant", tenant_id }, goesOnAfterSeconds);
      await job.catch((failure) => log.problem("The reconciliation will find this tenant", { tenant_id }, failure));
      return pending;
    }
  };
  const stepOf = (step: OutsideStep) => async (tenant: Tenant) => {
    asked ??= ask(tenant);
    return (await asked).includes(step) ? "pending" : undefined;
  };
  const steps = outsideSteps.map((step) => [step, stepOf(step)] as const);
  return Object.fromEntries(steps) as Record<OutsideStep, Step>;
}

/** Whether the tenant is the owner's own, by the same name, and not usable yet. */
function isUnfinished(tenant: Tenant, draft: Tenant): boolean {
  return (
    tenant.owner_sub === draft.owner_sub &&
    tenant.name === draft.name &&
    tenant.setup_state.pending.includes("membership")
  );
}

function isBeingMade(seconds: number): Refusal {
  const message = `another request of yours is making this workspace, or was cut off: send the same again in ${seconds} s`;
  const fields = [{ path: "name", message }];
  return new Refusal("workspace_incomplete", `name: ${message}`, { fields, retryAfterSeconds: seconds });
}
