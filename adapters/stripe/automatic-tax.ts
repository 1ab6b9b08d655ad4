// Stripe Tax. It takes a subscription only if it recognises where the customer is, which nobody knows before a payment method is set
// up: a subscription begins without tax, and gets it later.
import type Stripe from "stripe";
import { isRefused } from "./client.ts";
import { idOf } from "./conversion.ts";

/** docs.stripe.com/error-codes: of subscriptions, drafts and invoices that are to become final alike. */
export const unknownLocation = "customer_tax_location_invalid";

/**
 * Turns tax on for the customer's running subscriptions and their drafts, where it is off.
 * @returns false while the location is not known; nothing is changed then
 */
export async function applyTax(stripe: Stripe, customer: string): Promise<boolean> {
  const automatic_tax = { enabled: true };
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
    // First: by the subscriptions a repeat knows that there is something left to do.
    for (const { id } of drafts.filter(isOff).filter(isTheirs)) await stripe.invoices.update(id, { automatic_tax });
    for (const id of untaxed) await stripe.subscriptions.update(id, { automatic_tax });
    return true;
  } catch (error) {
    if (isRefused(error, unknownLocation)) return false;
    throw error;
  }
}

/** As docs.stripe.com/tax/customer-locations says: a debt is not given up because nobody knows where the customer is. */
export async function finalizeUntaxed(stripe: Stripe, invoice: string): Promise<void> {
  await stripe.invoices.update(invoice, { automatic_tax: { enabled: false } });
  await stripe.invoices.finalizeInvoice(invoice, { auto_advance: true });
}
