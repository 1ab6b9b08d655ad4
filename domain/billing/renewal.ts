// What people have done for a workspace whose subscription, or whose owner's customer, was ended at the payment provider by hand: both
// are made anew by the creation's own steps, with the next sweep. Nothing does so by itself, since people ended them.
import { type AuditEntry, auditEntry } from "../workspace/audit.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";

export interface RenewalStore {
  /**
   * Has both steps done again, and the sweep look at the tenant: all or nothing.
   * @returns false if the tenant has changed since it was read
   */
  renew(tenant: Tenant, entry: AuditEntry): Promise<boolean>;
}

export type RenewalDependencies = {
  tenants: Pick<TenantStore, "get">;
  renewals: RenewalStore;
  clock: () => number;
  newId: () => string;
};

/** @returns why it is not done, or undefined. Twice does no harm. */
export async function renewBilling(deps: RenewalDependencies, tenantId: string): Promise<string | undefined> {
  const { tenants, renewals, clock, newId } = deps;
  const tenant = await tenants.get(tenantId);
  if (!tenant) return "There is no such workspace.";
  if (tenant.status === "deleted") return "The workspace is deleted: its billing has ended, or is about to.";
  const { stripe_subscription_id, stripe_customer_id } = tenant;
  if (stripe_subscription_id === undefined)
    return "The workspace's subscription is being made: the sweep goes on with it.";
  const change = { tenant_id: tenantId, actor: "operator", action: "subscription.renew", target: tenantId } as const;
  const entry = auditEntry(
    { ...change, before: { stripe_subscription_id, stripe_customer_id } },
    { id: newId(), now: clock() },
  );
  return (await renewals.renew(tenant, entry)) ? undefined : "The workspace was changed meanwhile: try again.";
}
