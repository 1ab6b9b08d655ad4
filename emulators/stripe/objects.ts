// The objects of Stripe on the wire: the types of the SDK, with decimals as text. A field that the local stack never fills is left out of an
// object, where Stripe sends null or an empty list.
import { randomBytes } from "node:crypto";
import type Stripe from "stripe";

/** An id in the form of Stripe's: a prefix that tells the kind, and random characters. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(32)
    .toString("base64")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .slice(0, 24)}`;
}

export type Customer = Stripe.Customer;
export type Product = Stripe.Product;
export type Meter = Stripe.Billing.Meter;
export type PaymentMethod = Stripe.PaymentMethod;
export type SetupIntent = Stripe.SetupIntent;
export type CheckoutSession = Stripe.Checkout.Session;
export type PortalSession = Stripe.BillingPortal.Session;
export type PortalConfiguration = Stripe.BillingPortal.Configuration;
export type TestClock = Stripe.TestHelpers.TestClock;
export type Destination = Stripe.V2.Core.EventDestination;

export type Price = Omit<Stripe.Price, "unit_amount_decimal"> & { unit_amount_decimal: string | null };
export type SubscriptionItem = Omit<Stripe.SubscriptionItem, "price"> & { price: Price };
export type Subscription = Omit<Stripe.Subscription, "items" | "customer"> & {
  customer: string;
  items: List<SubscriptionItem>;
};
type Pricing = Omit<NonNullable<Stripe.InvoiceLineItem["pricing"]>, "unit_amount_decimal"> & {
  unit_amount_decimal: string | null;
};
export type InvoiceLine = Omit<Stripe.InvoiceLineItem, "quantity_decimal" | "pricing" | "subscription"> & {
  quantity_decimal: string | null;
  pricing: Pricing | null;
  subscription: string;
};
export type Invoice = Omit<Stripe.Invoice, "lines" | "customer"> & { customer: string; lines: List<InvoiceLine> };

export type Charge = Pick<
  Stripe.Charge,
  | ("id" | "object" | "amount" | "amount_refunded" | "created" | "currency")
  | ("description" | "disputed" | "paid" | "receipt_url" | "status")
> & { customer: string; payment_intent: string };
export type PaymentIntent = Pick<
  Stripe.PaymentIntent,
  "id" | "object" | "amount" | "created" | "currency" | "payment_method_types"
> & { customer: string; payment_method: string; status: "processing" | "succeeded" | "requires_payment_method" };
export type InvoicePayment = Pick<
  Stripe.InvoicePayment,
  "id" | "object" | "amount_paid" | "amount_requested" | "created" | "currency" | "is_default"
> & { invoice: string; payment: { type: "payment_intent"; payment_intent: string }; status: "open" | "paid" };
export type Dispute = Pick<Stripe.Dispute, "id" | "object" | "amount" | "created" | "currency" | "status"> & {
  charge: string;
};
export type CreditNote = Pick<Stripe.CreditNote, "id" | "object" | "amount" | "metadata" | "status"> & {
  customer: string;
  invoice: string;
};

export type List<T> = { object: "list"; data: T[]; has_more: boolean; url: string };

/** A thin event as `/v2/core/events` shows it. */
export type ThinEvent = {
  id: string;
  object: "v2.core.event";
  type: string;
  created: string;
  livemode: false;
  related_object: { id: string; type: string; url: string } | null;
  changes?: { before: Record<string, unknown> };
};
