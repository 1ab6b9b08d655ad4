// New subscriptions. The local stack has metered prices only, billed by the month.
import * as z from "zod";
import type { Account } from "../account.ts";
import { priceOf } from "../catalog.ts";
import { newId } from "../ids.ts";
import type { Price, Subscription, SubscriptionItem } from "../objects.ts";
import { bool, customFields, defined, int, metadata } from "../parameters.ts";
import { invalidRequest } from "../refusal.ts";
import { type Anchor, anchorAt, nextAnchor } from "./calendar.ts";
import { runningSubscriptions } from "./subscription-end.ts";
import { hasKnownLocation, unknownLocation } from "./tax.ts";

export const subscriptionFields = z.strictObject({
  customer: z.string(),
  items: z
    .array(z.strictObject({ price: z.string() }))
    .min(1)
    .max(20),
  automatic_tax: z.strictObject({ enabled: bool }).optional(),
  billing_cycle_anchor_config: z
    .strictObject({
      day_of_month: int.pipe(z.int().min(1).max(31)),
      hour: int.pipe(z.int().min(0).max(23)).optional(),
      minute: int.pipe(z.int().min(0).max(59)).optional(),
      second: int.pipe(z.int().min(0).max(59)).optional(),
    })
    .optional(),
  billing_mode: z.strictObject({ type: z.enum(["flexible", "classic"]) }).default({ type: "flexible" }),
  metadata: metadata.optional(),
  description: z.string().max(500).optional(),
  invoice_settings: z.strictObject({ custom_fields: customFields }).optional(),
});

type Given = z.output<typeof subscriptionFields>;

/** The time of a month at which the periods of a subscription begin. */
export function anchorOf({ billing_cycle_anchor, billing_cycle_anchor_config }: Subscription): Anchor {
  const { day_of_month, hour, minute, second } = billing_cycle_anchor_config ?? {};
  const rest = anchorAt(billing_cycle_anchor);
  return {
    day_of_month: day_of_month ?? rest.day_of_month,
    hour: hour ?? rest.hour,
    minute: minute ?? rest.minute,
    second: second ?? rest.second,
  };
}

/** A metered subscription has no first invoice, so it is active without a payment method. @throws StripeRefusal */
export function newSubscription(account: Account, given: Given): Subscription {
  const customer = account.customer(given.customer, "customer", 400);
  const prices = given.items.map(({ price }, index) => billable(account, price, `items[${index}][price]`));
  const currency = oneCurrency(account, customer.id, prices);
  if (given.automatic_tax?.enabled && !hasKnownLocation(account, customer)) throw unknownLocation();
  const now = account.now();
  const anchor: Anchor = { ...anchorAt(now), ...defined(given.billing_cycle_anchor_config ?? {}) };
  const end = nextAnchor(anchor, now);
  const id = newId("sub");
  const data = prices.map((price) => newItem(account, id, price, end));
  if (customer.currency === null) account.putCustomer({ ...customer, currency });
  return {
    id,
    object: "subscription",
    automatic_tax: { disabled_reason: null, enabled: given.automatic_tax?.enabled ?? false },
    billing_cycle_anchor: given.billing_cycle_anchor_config ? end : now,
    billing_cycle_anchor_config: given.billing_cycle_anchor_config ? { ...anchor, month: null } : null,
    billing_mode: { flexible: given.billing_mode.type === "flexible" ? {} : null, type: given.billing_mode.type },
    cancel_at_period_end: false,
    canceled_at: null,
    collection_method: "charge_automatically",
    created: now,
    currency,
    customer: customer.id,
    default_payment_method: null,
    description: given.description ?? null,
    ended_at: null,
    invoice_settings: given.invoice_settings ?? { custom_fields: null },
    items: { object: "list", data, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    latest_invoice: null,
    livemode: false,
    metadata: given.metadata ?? {},
    start_date: now,
    status: "active",
  } as unknown as Subscription;
}

export function billable(account: Account, id: string, param: string): Price {
  const price = priceOf(account, id, param);
  if (!price.active) throw invalidRequest(`The price specified is inactive.`, { param });
  if (price.recurring?.usage_type !== "metered" || price.recurring.interval !== "month") {
    throw invalidRequest("The local stack bills metered prices by the month only.", { param });
  }
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

export function newItem(account: Account, subscription: string, price: Price, end: number): SubscriptionItem {
  return {
    id: newId("si", 14),
    object: "subscription_item",
    created: account.now(),
    current_period_end: end,
    current_period_start: account.now(),
    metadata: {},
    price,
    subscription,
  } as SubscriptionItem;
}
