// Unpaid invoices: which of them suspend a workspace, and which keep it suspended.
import type { Tenant } from "../workspace/tenant.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

/** The reason of a suspension that payment ends; any other reason is an administrator's. */
export const unpaidReason = "An invoice is unpaid";

/** Whether the invoice is unpaid and the provider does not try to collect it any more. */
export function isGivenUp(invoice: PaymentInvoice): boolean {
  return (
    invoice.status === "uncollectible" ||
    (invoice.status === "open" && invoice.dueCents > 0 && invoice.nextAttemptAt === undefined)
  );
}

export function isOwed({ status, dueCents }: PaymentInvoice): boolean {
  return status === "uncollectible" || (status === "open" && dueCents > 0);
}

/** Whether the invoice suspends the tenant: its own does, and one of a deleted workspace suspends all others of the owner. */
export function concerns(invoice: PaymentInvoice, tenant: Tenant, living: readonly Tenant[]): boolean {
  const isOf = (one: Tenant) =>
    one.stripe_subscription_id !== undefined && one.stripe_subscription_id === invoice.subscriptionId;
  return isOf(tenant) || !living.some(isOf);
}
