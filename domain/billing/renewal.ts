// Renewal of the billing: somebody ended a workspace's subscription, or deleted its owner's customer, at the payment provider. An operator
// asks for new ones, and the reconciliation of workspaces creates them by the steps of a workspace's creation.
import { type AuditEntry, auditEntry } from "../workspace/audit.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";

export interface RenewalStore {
  /**
   * Sets the steps that create customer and subscription to pending, and lists the tenant to be looked at: all or nothing.
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

/** May be repeated. @returns why the renewal is refused, or undefined */
export async function renewBilling(deps: RenewalDependencies, tenantId: string): Promise<string | undefined> {
  const { tenants, renewals, clock, newId } = deps;
  const tenant = await tenants.get(tenantId);
  if (!tenant) return "There is no such workspace.";
  if (tenant.status === "deleted") return "The workspace is deleted: its billing has ended, or is about to.";
  const { stripe_subscription_id, stripe_customer_id } = tenant;
  if (stripe_subscription_id === undefined)
    return "The workspace's subscription is being made: the hourly reconciliation goes on with it.";
  const change = { tenant_id: tenantId, actor: "operator", action: "subscription.renew", target: tenantId } as const;
  const entry = auditEntry(
    { ...change, before: { stripe_subscription_id, stripe_customer_id } },
    { id: newId(), now: clock() },
  );
  return (await renewals.renew(tenant, entry)) ? undefined : "The workspace was changed meanwhile: try again.";
}
