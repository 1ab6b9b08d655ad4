// Who pays for a workspace's usage, and by which meter.
import type { Tenant } from "../workspace/tenant.ts";

export type Payer = {
  customerId: string;
  subscriptionId: string;
  /** Which meter and price. */
  slot: number;
  isDeleted: boolean;
};

type PayingTenant = Pick<Tenant, "stripe_customer_id" | "stripe_subscription_id" | "billing_slot" | "status">;

/**
 * None for a tenant that is gone, or whose subscription the creation has still to make. Who is suspended or deleted pays for
 * what was used before, too.
 */
export function payerOf(tenant: PayingTenant | undefined): Payer | undefined {
  if (!tenant) return undefined;
  const { stripe_customer_id: customerId, stripe_subscription_id: subscriptionId, billing_slot: slot, status } = tenant;
  if (customerId === undefined || subscriptionId === undefined || slot === undefined) return undefined;
  return { customerId, subscriptionId, slot, isDeleted: status === "deleted" };
}
