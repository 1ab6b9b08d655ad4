// Problems that the payment provider's state shows and that an operator has to solve, since usage is not billed or not paid; and
// payments that went back.
import { type AuditEntry, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { AuditAction } from "../workspace/audit-actions.ts";
import type { Tenant } from "../workspace/tenant.ts";
import type { BillingTelemetry, UnbilledReason } from "./billing-telemetry.ts";
import type { Incident } from "./incident.ts";
import type { PaymentEvent } from "./payment-event.ts";
import type { PaymentObject } from "./payment-object.ts";

export type PaymentProblem = {
  /** Reason for an alarm; undefined for a problem that does no harm. */
  reason: UnbilledReason | undefined;
  message: string;
  facts: Record<string, string>;
  /** Entry of the workspace's audit trail, or of the platform's if no workspace in use is concerned. */
  entry: AuditEntry;
};

type Seen = {
  /** Undefined if the state was read without one. */
  event: PaymentEvent | undefined;
  about: PaymentObject;
  /** Whether the provider has deleted the customer. */
  isGone: boolean;
  /** True if tax is to be computed, and the provider does not know the owner's address. */
  isUntaxed: boolean;
  /** Payments that were taken back or given back, and of which nobody was told yet. */
  incidents: readonly Incident[];
  /** The owner's workspaces that are not deleted. */
  living: readonly Tenant[];
};

/** @param made ids and the time for the audit entries, in milliseconds */
export function problemsOf(
  { event, about, isGone, isUntaxed, incidents, living }: Seen,
  made: { newId: () => string; now: number },
): PaymentProblem[] {
  const { subscription, invoice, customerId } = about;
  const tenantOf = (id: string | undefined) =>
    living.find((one) => id !== undefined && one.stripe_subscription_id === id)?.tenant_id;
  const problem = (
    { reason, message, action }: Pick<PaymentProblem, "reason" | "message"> & { action: AuditAction },
    { target, tenantId, after }: { target: string; tenantId: string | undefined; after: Record<string, string> },
  ): PaymentProblem => ({
    ...{ reason, message, facts: { ...(tenantId !== undefined && { tenant_id: tenantId }), ...after } },
    entry: auditEntry(
      { tenant_id: tenantId ?? platformTrail, actor: "stripe", action, target, after },
      { id: made.newId(), now: made.now },
    ),
  });
  const problems: PaymentProblem[] = [];
  const ofSubscription = tenantOf(subscription?.id);
  // A purge deletes the customer of an owner without workspaces, which is no problem.
  if (isGone && living.length > 0) {
    const message = "An owner's customer was deleted at the payment provider";
    const of = { target: customerId, tenantId: ofSubscription, after: { customer_id: customerId } };
    problems.push(problem({ reason: "customer_deleted", message, action: "customer.delete" }, of));
  }
  if (subscription?.status === "canceled" && ofSubscription !== undefined) {
    const message = "A living workspace's subscription has ended at the payment provider";
    const after = { customer_id: customerId, subscription_id: subscription.id };
    const of = { target: subscription.id, tenantId: ofSubscription, after };
    problems.push(problem({ reason: "ended", message, action: "subscription.end" }, of));
  }
  // As long as the invoice is a draft, an operator can still ask for the address.
  if (isUntaxed && event?.kind === "invoice_created" && invoice) {
    const after = { customer_id: customerId, invoice_id: invoice.id };
    const of = { target: invoice.id, tenantId: tenantOf(invoice.subscriptionId), after };
    const message = "An invoice has no tax: its customer's address is not known";
    problems.push(problem({ reason: "untaxed", message, action: "invoice.untaxed" }, of));
  }
  if (event?.kind === "invoice_not_final" && invoice?.status === "draft") {
    const after = { customer_id: customerId, invoice_id: invoice.id };
    const of = { target: invoice.id, tenantId: tenantOf(invoice.subscriptionId), after };
    const message = "An invoice cannot be made final";
    problems.push(problem({ reason: "not_final", message, action: "invoice.finalization_failed" }, of));
  }
  for (const { id, action, state, message, isHarm } of incidents) {
    const of = { target: id, tenantId: undefined, after: { customer_id: customerId, state } };
    problems.push(problem({ reason: isHarm ? "disputed" : undefined, message, action }, of));
  }
  return problems;
}

export function telemetryFacts({
  facts: { tenant_id, invoice_id },
}: PaymentProblem): Parameters<BillingTelemetry["unbilled"]>[1] {
  return { ...(tenant_id !== undefined && { tenant_id }), ...(invoice_id !== undefined && { invoice_id }) };
}
