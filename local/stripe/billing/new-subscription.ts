// A subscription as it begins: metered prices only, in flexible billing mode, a month at a time.
import * as z from "zod";
import type { Account } from "../account.ts";
import { priceOf } from "../catalog.ts";
import { newId } from "../ids.ts";
import type { Plan, Price, Subscription, SubscriptionItem } from "../objects.ts";
import { bool, int, metadata } from "../parameters.ts";
import { invalidRequest } from "../refusal.ts";
import { type Anchor, anchorAt, nextAnchor } from "./calendar.ts";
import { runningSubscriptions } from "./subscription-end.ts";
import { hasKnownLocation, unknownLocation } from "./tax.ts";

export const subscriptionFields = z.strictObject({
  customer: z.string(),
  items: z
    .array(z.strictObject({ price: z.string(), metadata: metadata.optional() }))
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
  collection_method: z.literal("charge_automatically").optional(),
  default_payment_method: z.string().optional(),
  description: z.string().max(500).optional(),
  metadata: metadata.optional(),
  off_session: bool.optional(),
  proration_behavior: z.enum(["create_prorations", "none", "always_invoice"]).optional(),
});

type Given = z.output<typeof subscriptionFields>;

/** When its periods begin. */
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

/** Metered only: there is no first invoice, so it is active without a payment method. @throws StripeRefusal */
export function newSubscription(account: Account, given: Given): Subscription {
  const customer = account.customer(given.customer, "customer", 400);
  const prices = given.items.map(({ price }, index) => billable(account, price, `items[${index}][price]`));
  const currency = oneCurrency(account, customer.id, prices);
  if (given.automatic_tax?.enabled && !hasKnownLocation(account, customer)) throw unknownLocation();
  const now = account.now();
  const anchor: Anchor = { ...anchorAt(now), ...withoutUndefined(given.billing_cycle_anchor_config ?? {}) };
  const end = nextAnchor(anchor, now);
  const id = newId("sub");
  const data = prices.map((price) => newItem(account, id, price, end));
  if (customer.currency === null) account.putCustomer({ ...customer, currency });
  return {
    id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: given.automatic_tax?.enabled ?? false, liability: null },
    billing_cycle_anchor: given.billing_cycle_anchor_config ? end : now,
    billing_cycle_anchor_config: given.billing_cycle_anchor_config ? { ...anchor, month: null } : null,
    billing_mode: { flexible: given.billing_mode.type === "flexible" ? {} : null, type: given.billing_mode.type },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: null,
    collection_method: "charge_automatically",
    created: now,
    currency,
    customer: customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: given.default_payment_method ?? null,
    default_source: null,
    description: given.description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    items: { object: "list", data, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: given.metadata ?? {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: null,
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: "active",
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
  } satisfies Subscription;
}

function billable(account: Account, id: string, param: string): Price {
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

function newItem(account: Account, subscription: string, price: Price, end: number): SubscriptionItem {
  return {
    id: newId("si", 14),
    object: "subscription_item",
    billing_thresholds: null,
    created: account.now(),
    current_period_end: end,
    current_period_start: account.now(),
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    subscription,
    tax_rates: [],
  } satisfies SubscriptionItem;
}

/** The older form of a price, which still travels with it. */
function planOf(price: Price): Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? "month",
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: price.recurring?.meter ?? null,
    nickname: price.nickname,
    product: String(price.product),
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "metered",
  } satisfies Plan;
}

function withoutUndefined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
