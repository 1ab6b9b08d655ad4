// Conversion of Stripe's objects into the product's.
import type Stripe from "stripe";
import type { PaymentCustomer, PaymentInvoice, PaymentSubscription } from "../../domain/billing/payment-provider.ts";

export function idOf(value: string | { id: string } | null | undefined): string | undefined {
  return typeof value === "string" ? value : value?.id;
}

export function customerFrom(customer: Stripe.Customer): PaymentCustomer {
  return {
    id: customer.id,
    currency: customer.currency ?? undefined,
    defaultPaymentMethod: idOf(customer.invoice_settings.default_payment_method),
    balanceCents: customer.balance,
  };
}

export function subscriptionFrom(subscription: Stripe.Subscription): PaymentSubscription {
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer) ?? "",
    status: subscription.status,
    startedAt: subscription.start_date * 1000,
    periodEndsAt: (subscription.items.data[0]?.current_period_end ?? subscription.start_date) * 1000,
  };
}

export function invoiceFrom(invoice: Stripe.Invoice): PaymentInvoice {
  const milliseconds = (seconds: number | null) => (seconds === null ? undefined : seconds * 1000);
  return {
    id: invoice.id,
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
    status: invoice.status as PaymentInvoice["status"],
    totalCents: invoice.total,
    dueCents: invoice.amount_remaining,
    currency: invoice.currency,
    quantity: invoice.lines.data.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0),
    createdAt: invoice.created * 1000,
    finalizesAt: milliseconds(invoice.automatically_finalizes_at),
    nextAttemptAt: milliseconds(invoice.next_payment_attempt),
    url: invoice.hosted_invoice_url ?? undefined,
  };
}
