// What a tenant has outside the table: each kind of resource is set up and removed by a function of its own, which alone has the
// rights to do so. A new kind is one more entry of these lists (handlers/*/lambda.ts).
import { Refusal } from "../kernel/refusal.ts";
import type { OutsideStep, Tenant, TenantStore } from "../workspace/tenant.ts";

/** Removed resources by kind, or `waiting` if nothing may be removed yet. */
export type Removal = Record<string, number> | "waiting";

export interface OutsideResources {
  /** The steps of a tenant's setup that make these resources. */
  readonly steps: readonly OutsideStep[];
  /** Carries out those of the steps that the tenant lacks. May be repeated. @throws Error if a step fails */
  setUp(tenantId: string): Promise<void>;
  /** Removes what a deleted tenant has. May be repeated. @throws Refusal workspace_not_deleted unless the tenant is deleted, or gone */
  remove(tenantId: string): Promise<Removal>;
}

/** Sets up all that the tenant lacks, at the same time: no kind waits for another. @throws the first failure, once all have ended */
export async function setUpOutside(resources: readonly OutsideResources[], tenant: Tenant): Promise<void> {
  const { pending } = tenant.setup_state;
  const lacking = resources.filter(({ steps }) => steps.some((step) => pending.includes(step)));
  const outcomes = await Promise.allSettled(lacking.map(({ setUp }) => setUp(tenant.tenant_id)));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
}

/** Removes all kinds in their order. The first one that waits ends it, so that those after it stay too. */
export async function removeOutside(resources: readonly OutsideResources[], tenantId: string): Promise<Removal> {
  const removed: Record<string, number> = {};
  for (const kind of resources) {
    const answer = await kind.remove(tenantId);
    if (answer === "waiting") return "waiting";
    Object.assign(removed, answer);
  }
  return removed;
}

/** @throws Refusal workspace_not_deleted unless the tenant is deleted, or gone */
export async function requireDeleted(tenants: Pick<TenantStore, "get">, tenantId: string): Promise<Tenant | undefined> {
  const tenant = await tenants.get(tenantId);
  if (tenant === undefined || tenant.status === "deleted") return tenant;
  throw new Refusal(
    "workspace_not_deleted",
    `The workspace is ${tenant.status}: only what a deleted one has is removed`,
  );
}
