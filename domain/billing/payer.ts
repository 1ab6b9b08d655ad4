// The payer of a workspace's usage: customer, subscription and meter at the payment provider.
import type { Tenant } from "../workspace/tenant.ts";
import { invoiceLabel } from "./invoice-label.ts";
import type { InvoiceLabel } from "./payment-provider.ts";

export type Payer = {
  customerId: string;
  subscriptionId: string;
  /** The owner's meter and price (`SlotStore`). */
  slot: number;
  /** The label that the workspace's invoices are to carry. */
  label: InvoiceLabel;
  isDeleted: boolean;
};

type PayingTenant = Pick<
  Tenant,
  "stripe_customer_id" | "stripe_subscription_id" | "billing_slot" | "status" | "name" | "slug" | "purchase_order"
>;

/**
 * Undefined for a tenant that is gone, or has no subscription yet. A suspended or deleted tenant has a payer too, for the usage
 * before that.
 */
export function payerOf(tenant: PayingTenant | undefined): Payer | undefined {
  if (!tenant) return undefined;
  const { stripe_customer_id: customerId, stripe_subscription_id: subscriptionId, billing_slot: slot, status } = tenant;
  if (customerId === undefined || subscriptionId === undefined || slot === undefined) return undefined;
  return { customerId, subscriptionId, slot, label: invoiceLabel(tenant), isDeleted: status === "deleted" };
}
