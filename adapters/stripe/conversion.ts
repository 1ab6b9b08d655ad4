// Conversion of Stripe's objects into the product's.
import type Stripe from "stripe";
import type {
  MicroUsd,
  PaymentCustomer,
  PaymentInvoice,
  PaymentSubscription,
} from "../../domain/billing/payment-provider.ts";
import { labelFrom } from "./invoice-label.ts";

export function idOf(value: string | { id: string } | null | undefined): string | undefined {
  return typeof value === "string" ? value : value?.id;
}

export function customerFrom(customer: Stripe.Customer): PaymentCustomer {
  return {
    id: customer.id,
    email: customer.email ?? undefined,
    defaultPaymentMethod: idOf(customer.invoice_settings.default_payment_method),
    balanceCents: customer.balance,
  };
}

/** Marks the items that the product adds to an invoice. */
export const usageMetadata = { archway: "usage" };

const microPerUsd = 1_000_000;

/** `1.234567`: the decimal in which Stripe takes quantities. */
export function usdText(amount: MicroUsd): string {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`not an amount in whole micro-USD: ${amount}`);
  const fraction = String(amount % microPerUsd).padStart(6, "0");
  return `${Math.floor(amount / microPerUsd)}.${fraction}`;
}

/** Cents: the price of a unit, a USD, on each slot. */
export const unitAmount = "100";

/**
 * The usage that a line bills; 0 for a line that people added. By the amount and not by the quantity: whoever changes the price of a running
 * subscription in the dashboard has billed what they charged, and the next total is less by that.
 */
function usageOf({ parent, metadata, quantity_decimal, pricing }: Stripe.InvoiceLineItem): MicroUsd {
  const isUsage = parent?.type === "subscription_item_details" || metadata?.archway === usageMetadata.archway;
  if (!isUsage) return 0;
  const amount = Number(String(pricing?.unit_amount_decimal ?? 0));
  return Math.round((Number(String(quantity_decimal ?? 0)) * amount * microPerUsd) / Number(unitAmount));
}

export function subscriptionFrom(subscription: Stripe.Subscription): PaymentSubscription {
  return {
    id: subscription.id,
    status: subscription.status,
    startedAt: subscription.start_date * 1000,
    label: labelFrom(subscription.invoice_settings?.custom_fields),
    periodEndsAt: (subscription.items.data[0]?.current_period_end ?? subscription.start_date) * 1000,
  };
}

/** An invoice that Stripe wrote off because a subscription was cancelled is still to be paid: nobody has given up its money. */
function statusOf({ status, status_details }: Stripe.Invoice): PaymentInvoice["status"] {
  if (status_details?.uncollectible?.reason === "subscription_canceled" && status === "uncollectible") return "open";
  return status as PaymentInvoice["status"];
}

/**
 * The amount that was paid outside of Stripe: what Stripe says, or what no payment of the invoice accounts for. The second is known where the invoice was
 * listed with all of its payments.
 */
function outsideOf({ status, amount_paid, amount_paid_off_stripe = 0, payments }: Stripe.Invoice): number {
  if (status !== "paid" || !payments || payments.has_more) return amount_paid_off_stripe;
  const arrived = payments.data.filter(({ status, payment }) => status === "paid" && payment.type !== "payment_record");
  const sum = arrived.reduce((all, { amount_paid }) => all + (amount_paid ?? 0), 0);
  return Math.max(amount_paid_off_stripe, amount_paid - sum);
}

export function invoiceFrom(invoice: Stripe.Invoice): PaymentInvoice {
  const milliseconds = (seconds: number | null) => (seconds === null ? undefined : seconds * 1000);
  return {
    id: invoice.id,
    number: invoice.number ?? undefined,
    label: labelFrom(invoice.custom_fields),
    subscriptionId: idOf(invoice.parent?.subscription_details?.subscription),
    tenantId: (invoice.parent?.subscription_details?.metadata ?? invoice.metadata)?.tenant_id,
    status: statusOf(invoice),
    subtotalCents: invoice.total - (invoice.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0),
    totalCents: invoice.total,
    paidCents: invoice.amount_paid,
    dueCents: invoice.amount_remaining,
    currency: invoice.currency,
    quantity: invoice.lines.data.reduce((sum, line) => sum + usageOf(line), 0),
    createdAt: invoice.created * 1000,
    finalizesAt: milliseconds(invoice.automatically_finalizes_at),
    nextAttemptAt: milliseconds(invoice.next_payment_attempt),
    finalizedAt: milliseconds(invoice.status_transitions.finalized_at),
    paidAt: milliseconds(invoice.status_transitions.paid_at),
    url: invoice.hosted_invoice_url ?? undefined,
    pdfUrl: invoice.invoice_pdf ?? undefined,
    outsideCents: outsideOf(invoice),
    isProcessing: false,
    creditedCents: (invoice.pre_payment_credit_notes_amount ?? 0) + (invoice.post_payment_credit_notes_amount ?? 0),
  };
}
