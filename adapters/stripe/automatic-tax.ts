// Stripe Tax. Stripe computes tax only if it knows where the customer is, which is known once a payment method is set up. A
// subscription therefore begins without tax and gets it later.
import type Stripe from "stripe";
import { isRefused } from "./client.ts";
import { idOf } from "./conversion.ts";

/** Stripe's error for subscriptions, drafts and finalization alike (docs.stripe.com/error-codes). */
export const unknownLocation = "customer_tax_location_invalid";

/**
 * Turns tax on for the customer's running subscriptions and their drafts, where it is off.
 * @returns false while the location is not known; nothing is changed then
 */
export async function applyTax(stripe: Stripe, customer: string): Promise<boolean> {
  const taxed = { automatic_tax: { enabled: true } };
  const isOff = (one: { automatic_tax: { enabled: boolean } }) => !one.automatic_tax.enabled;
  const subscriptions = await stripe.subscriptions.list({ customer, limit: 100 }).autoPagingToArray({ limit: 1_000 });
  const untaxed = subscriptions.filter(isOff).map(({ id }) => id);
  if (untaxed.length === 0) return true;
  const drafts = await stripe.invoices
    .list({ customer, status: "draft", limit: 100 })
    .autoPagingToArray({ limit: 1_000 });
  const isTheirs = (draft: Stripe.Invoice) =>
    untaxed.includes(idOf(draft.parent?.subscription_details?.subscription) ?? "");
  try {
    // The drafts come first: a repeat sees by the subscriptions that something is left to do.
    for (const { id } of drafts.filter(isOff).filter(isTheirs)) await stripe.invoices.update(id, taxed);
    for (const id of untaxed) await stripe.subscriptions.update(id, taxed);
    return true;
  } catch (error) {
    if (isRefused(error, unknownLocation)) return false;
    throw error;
  }
}

/** Makes an invoice final without tax, if the customer's location is unknown (docs.stripe.com/tax/customer-locations). */
export async function finalizeUntaxed(stripe: Stripe, invoice: string): Promise<void> {
  await stripe.invoices.update(invoice, { automatic_tax: { enabled: false } });
  await stripe.invoices.finalizeInvoice(invoice, { auto_advance: true });
}
