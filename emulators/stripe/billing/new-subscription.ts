// New subscriptions, whose periods are months of the calendar in UTC.
import * as z from "zod";
import type { Account } from "../account.ts";
import { newId, type Price, type Subscription, type SubscriptionItem } from "../objects.ts";
import { bool, customFields, metadata } from "../parameters.ts";
import { invalidRequest, known } from "../refusal.ts";
import { runningSubscriptions } from "./subscription-end.ts";
import { hasKnownLocation, unknownLocation } from "./tax.ts";

const midnight = z.union([z.literal("0"), z.literal(0)]).transform(Number);

export const subscriptionFields = z.strictObject({
  customer: z.string(),
  items: z
    .array(z.strictObject({ price: z.string() }))
    .min(1)
    .max(20),
  automatic_tax: z.strictObject({ enabled: bool }).default({ enabled: false }),
  // The local stack knows no other anchor.
  billing_cycle_anchor_config: z.strictObject({
    day_of_month: z.union([z.literal("1"), z.literal(1)]).transform(Number),
    ...{ hour: midnight, minute: midnight, second: midnight },
  }),
  billing_mode: z.strictObject({ type: z.literal("flexible") }).default({ type: "flexible" }),
  metadata: metadata.default({}),
  description: z.string().max(500).optional(),
  invoice_settings: z.strictObject({ custom_fields: customFields }).optional(),
});

/** @returns the first second of the month after it, in seconds */
export function nextMonth(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}

/**
 * A metered subscription has no first invoice, so it is active without a payment method. Where one is asked for, the words are those with
 * which Stripe asks for it with a first invoice (github.com/joshnuss/svelte-stripe/issues/30).
 * @throws StripeRefusal
 */
export function newSubscription(account: Account, given: z.output<typeof subscriptionFields>): Subscription {
  const customer = account.customer(given.customer, "customer", 400);
  if (!account.settings.begins_without_method && !customer.invoice_settings.default_payment_method) {
    throw invalidRequest(
      "This customer has no attached payment source or default payment method. Please consider adding a default payment method.",
      { code: "resource_missing" },
    );
  }
  const prices = given.items.map(({ price }, index) => billable(account, price, `items[${index}][price]`));
  const currency = oneCurrency(account, customer.id, prices);
  const { enabled } = given.automatic_tax;
  if (enabled && !hasKnownLocation(account, customer)) throw unknownLocation();
  const now = account.now();
  const id = newId("sub");
  const data = prices.map((price) => newItem(id, price, now, nextMonth(now)));
  if (customer.currency === null) account.putCustomer({ ...customer, currency });
  return {
    ...given,
    ...{ id, object: "subscription", status: "active", created: now, start_date: now, currency },
    automatic_tax: { enabled },
    ...{ ended_at: null, latest_invoice: null },
    description: given.description ?? null,
    invoice_settings: given.invoice_settings ?? { custom_fields: null },
    items: { object: "list", data, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
  } as unknown as Subscription;
}

export function billable(account: Account, id: string, param: string): Price {
  const price = known(account.prices.get(id), "price", id, param, 400);
  if (!price.active) throw invalidRequest("The price specified is inactive.", { param });
  return price;
}

/**
 * Active subscriptions of a customer share a currency (docs.stripe.com/billing/customer/multicurrency). No code is published; the
 * words are Stripe's (github.com/Automattic/woocommerce-payments/issues/7732, and later public copies).
 */
function oneCurrency(account: Account, customer: string, prices: Price[]): string {
  const running = runningSubscriptions(account, customer).map(({ currency }) => currency);
  const [currency = "usd", ...others] = [...new Set([...running, ...prices.map(({ currency }) => currency)])];
  if (others.length === 0) return currency;
  throw invalidRequest(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, invoice item or active subscription mode checkout session with currency ${currency}.`,
  );
}

export function newItem(subscription: string, price: Price, start: number, end: number): SubscriptionItem {
  const period = { current_period_start: start, current_period_end: end };
  return { id: newId("si"), object: "subscription_item", ...period, price, subscription } as SubscriptionItem;
}
