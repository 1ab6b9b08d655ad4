// Drafts of invoices. Each period of a subscription has one, and usage of the period counts until the draft is final.
import type { Account } from "../account.ts";
import {
  type Invoice,
  type InvoiceLine,
  type List,
  newId,
  type Product,
  type Subscription,
  type SubscriptionItem,
} from "../objects.ts";
import { usageOf } from "./usage.ts";

type Period = { start: number; end: number };

/** @param advances whether it becomes final by itself */
export function makeDraft(account: Account, subscription: Subscription, period: Period, advances: boolean): Invoice {
  const draft = newInvoice(account, subscription, subscription);
  const lines = subscription.items.data.map((item) =>
    usageLine(item, subscription.id, draft.id, period, account.products.get(String(item.price.product))),
  );
  const invoice = {
    ...draft,
    auto_advance: advances,
    automatically_finalizes_at: advances ? account.now() + account.settings.grace_seconds : null,
    lines: { ...draft.lines, data: lines },
  };
  account.putInvoice(counted(account, invoice));
  account.putSubscription({ ...subscription, latest_invoice: invoice.id });
  account.emit("invoice.created", invoice);
  return invoice;
}

/** Whether the meters have usage of the period by now. */
export function hasUsage(account: Account, { items, customer }: Subscription, period: Period): boolean {
  return items.data.some(({ price }) => {
    const meter = account.meters.get(price.recurring?.meter ?? "");
    return meter !== undefined && usageOf(account, meter, customer, period, Number.POSITIVE_INFINITY) > 0;
  });
}

/** The invoice with the usage and the balance of now if it is a draft; a final invoice is unchanged. */
export function counted(account: Account, invoice: Invoice): Invoice {
  if (invoice.status !== "draft") return invoice;
  const data = invoice.lines.data.map((line) => recounted(account, invoice, line));
  const total = data.reduce((sum, { amount }) => sum + amount, 0);
  const starting_balance = account.customers.get(invoice.customer)?.customer.balance ?? 0;
  const owed = total + starting_balance;
  // An amount below the minimum is added to the balance instead (the SDK's Invoice.amount_due).
  const due = owed < minimumCharge ? 0 : owed;
  return {
    ...invoice,
    lines: { ...invoice.lines, data },
    ...{ total, starting_balance, amount_due: due, amount_remaining: due },
  };
}

/** In cents of USD or EUR; docs.stripe.com/currencies, "Minimum and maximum charge amounts". */
const minimumCharge = 50;

function usageLine(
  { id, price }: SubscriptionItem,
  subscription: string,
  invoice: string,
  period: Period,
  product?: Product,
): InvoiceLine {
  const { currency, unit_amount_decimal } = price;
  return {
    ...{ id: newId("il"), object: "line_item", amount: 0, currency, description: product?.name ?? null, invoice },
    metadata: {},
    parent: {
      subscription_item_details: { subscription, subscription_item: id },
      type: "subscription_item_details",
    },
    period,
    pricing: { price_details: { price: price.id }, type: "price_details", unit_amount_decimal },
    ...{ quantity: 0, quantity_decimal: "0.000000", subscription },
  } as unknown as InvoiceLine;
}

function recounted(account: Account, invoice: Invoice, line: InvoiceLine): InvoiceLine {
  const price = account.prices.get(String(line.pricing?.price_details?.price));
  const meter = account.meters.get(price?.recurring?.meter ?? "");
  if (!price || !meter) return line;
  const { drafts_take_usage, whole_units, grace_seconds } = account.settings;
  const until = drafts_take_usage === "until_final" ? Number.POSITIVE_INFINITY : invoice.created + grace_seconds;
  const told = usageOf(account, meter, invoice.customer, line.period, until);
  const millionths = whole_units ? told - (told % 1e6) : told;
  const amount = cents(millionths, price.unit_amount_decimal ?? "0");
  const quantity = Math.trunc(millionths / 1e6);
  const quantity_decimal = `${quantity}.${String(millionths % 1e6).padStart(6, "0")}`;
  return { ...line, quantity, quantity_decimal, amount };
}

/**
 * Lines round to whole cents (docs.stripe.com/billing/subscriptions/decimal-amounts).
 * @param millionths of a unit
 */
export function cents(millionths: number, unitAmount: string): number {
  const [whole = "0", fraction = ""] = unitAmount.replace("-", "").split(".");
  const scale = 10n ** BigInt(fraction.length + 6);
  const product = BigInt(millionths) * BigInt(whole + fraction);
  const rounded = Number((product * 2n + scale) / (scale * 2n));
  return unitAmount.startsWith("-") ? -rounded : rounded;
}

/** A draft without lines. Without a subscription it was made by hand. */
export function newInvoice(
  account: Account,
  { currency, customer }: Pick<Subscription, "currency" | "customer">,
  subscription?: Subscription,
): Invoice {
  const id = newId("in");
  const lines: List<InvoiceLine> = { object: "list", data: [], has_more: false, url: `/v1/invoices/${id}/lines` };
  const enabled = subscription?.automatic_tax.enabled ?? false;
  return {
    ...{ id, object: "invoice", status: "draft", created: account.now(), currency, customer, lines, metadata: {} },
    ...{ total: 0, starting_balance: 0, amount_due: 0, amount_paid: 0, amount_remaining: 0 },
    ...{ attempt_count: 0, auto_advance: false },
    ...{ automatically_finalizes_at: null, next_payment_attempt: null, number: null },
    automatic_tax: { enabled, status: null },
    // The subscription's fields are those of its invoices (the SDK's Subscription.invoice_settings).
    custom_fields: subscription?.invoice_settings?.custom_fields ?? null,
    parent: subscription
      ? {
          subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
          type: "subscription_details",
        }
      : null,
    status_transitions: { finalized_at: null, paid_at: null },
  } as unknown as Invoice;
}

export function subscriptionOf(account: Account, invoice: Invoice): Subscription | undefined {
  const subscription = invoice.parent?.subscription_details?.subscription;
  return subscription ? account.subscriptions.get(String(subscription)) : undefined;
}
