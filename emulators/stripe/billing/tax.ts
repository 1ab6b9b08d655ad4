// Automatic tax. Stripe computes it only for a location that it recognises; the amount of tax is not emulated.
import type { Account } from "../account.ts";
import type { Customer, Invoice, Subscription } from "../objects.ts";
import { StripeRefusal } from "../refusal.ts";

type Address = Pick<NonNullable<Customer["address"]>, "country" | "postal_code" | "state">;

const code = "customer_tax_location_invalid";
/** The message of Stripe, e.g. in github.com/mozilla/fxa/pull/20458. */
const message =
  "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.";

/** Subscriptions with automatic tax are refused with this error, too (docs.stripe.com/error-codes; github.com/firezone/firezone/issues/8663). */
export function unknownLocation(): StripeRefusal {
  return new StripeRefusal(400, "invalid_request_error", message, { code, param: "automatic_tax" });
}

/**
 * Looks at the address of the customer. Without one, the address of the default payment method counts, with the country of the card as
 * its default (docs.stripe.com/tax/customer-locations, "Which customer address is used").
 */
export function hasKnownLocation(account: Account, customer: Customer | undefined): boolean {
  if (!customer) return false;
  if (customer.address?.country) return isPrecise(customer.address);
  const method = account.paymentMethods.get(String(customer.invoice_settings.default_payment_method));
  const { address } = method?.billing_details ?? {};
  const country = address?.country ?? method?.card?.country ?? null;
  return isPrecise({ country, postal_code: address?.postal_code ?? null, state: address?.state ?? null });
}

/** The parts of an address that tax needs (docs.stripe.com/tax/invoicing, "Set up the customer"). */
function isPrecise({ country, postal_code, state }: Address): boolean {
  if (country === "US") return /^\d{5}(-\d{4})?$/.test(postal_code ?? "");
  if (country === "CA") return Boolean(postal_code || state);
  return /^[A-Z]{2}$/.test(country ?? "");
}

export function lacksLocation(account: Account, { automatic_tax, customer }: Invoice | Subscription): boolean {
  return automatic_tax.enabled && !hasKnownLocation(account, account.customers.get(customer)?.customer);
}

/**
 * Without a known location an invoice of a subscription becomes final without tax, and the tax of the subscription is turned off
 * (docs.stripe.com/tax/customer-locations, "Invoice finalization errors").
 */
export function withoutTax(account: Account, invoice: Invoice, subscription: Subscription | undefined): Invoice {
  if (subscription) {
    const automatic_tax = { ...subscription.automatic_tax, enabled: false };
    account.emit("customer.subscription.updated", account.putSubscription({ ...subscription, automatic_tax }));
  }
  return { ...invoice, automatic_tax: { ...invoice.automatic_tax, enabled: false, status: null } };
}
