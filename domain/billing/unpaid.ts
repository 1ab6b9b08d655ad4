// What an owner owes: which invoices suspend a workspace, and which keep it suspended.
import type { Tenant } from "../workspace/tenant.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

/** The reason of a suspension that payment ends; any other reason is an administrator's. */
export const unpaidReason = "An invoice is unpaid";

/** It was to be paid, and nobody tries to collect it any more. */
export function isGivenUp(invoice: PaymentInvoice): boolean {
  return (
    invoice.status === "uncollectible" ||
    (invoice.status === "open" && invoice.dueCents > 0 && invoice.nextAttemptAt === undefined)
  );
}

export function isOwed({ status, dueCents }: PaymentInvoice): boolean {
  return status === "uncollectible" || (status === "open" && dueCents > 0);
}

/** A workspace answers for its own invoices; for those of workspaces that are no more, all that are left of the owner do. */
export function concerns(invoice: PaymentInvoice, tenant: Tenant, living: readonly Tenant[]): boolean {
  const isOf = (one: Tenant) =>
    one.stripe_subscription_id !== undefined && one.stripe_subscription_id === invoice.subscriptionId;
  return isOf(tenant) || !living.some(isOf);
}
