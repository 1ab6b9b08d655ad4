// An invoice of a workspace's usage before the month's end, which is made, filled and collected, each at most once.
import type Stripe from "stripe";
import type { MicroUsd, PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { unknownLocation } from "./automatic-tax.ts";
import { call, isRefused } from "./client.ts";
import { findOrCreate } from "./find-or-create.ts";
import { addItem, newDraft } from "./usage-item.ts";

/**
 * The invoice is found again by what was billed before it. Its quantity is noted on it before its one item is added, so that a repeat adds the
 * same, whatever was used meanwhile: Stripe refuses an idempotency key with other parameters for a day.
 */
export function earlyInvoiceBiller(stripe: Stripe, collect: PaymentProvider["collect"]): PaymentProvider["billEarly"] {
  return async (wanted) => {
    const { customerId, label, subscriptionId, draftId } = wanted;
    const draft =
      draftId === undefined
        ? await draftOf(stripe, wanted)
        : await call("invoices.retrieve", () => stripe.invoices.retrieve(draftId));
    const quantity = Number(draft.metadata?.quantity ?? (await noted(stripe, draft.id, wanted.quantity)));
    await addItem(stripe, { customerId, label, invoice: draft.id, key: `archway-early-${draft.id}`, quantity });
    await call("invoices.update", () => taxLike(stripe, subscriptionId, draft.id));
    await collect(draft.id);
    return quantity;
  };
}

async function noted(stripe: Stripe, invoiceId: string, quantity: MicroUsd): Promise<string | undefined> {
  const metadata = { quantity: String(quantity) };
  const changed = await call("invoices.update", () => stripe.invoices.update(invoiceId, { metadata }));
  return changed.metadata?.quantity;
}

async function draftOf(
  stripe: Stripe,
  { customerId, tenantId, label, billedBefore }: Parameters<PaymentProvider["billEarly"]>[0],
): Promise<Stripe.Invoice> {
  const early = `archway-early-${tenantId}-${billedBefore}`;
  const find = async () => {
    const { data } = await stripe.invoices.list({ customer: customerId, limit: 100 });
    return data.find(({ metadata }) => metadata?.early === early);
  };
  const create = (idempotencyKey: string) =>
    newDraft(stripe, { customerId, tenantId, label }, { early }, { idempotencyKey });
  return findOrCreate("invoices.create", early, find, create);
}

/** Taxes the draft if the workspace's subscription is taxed. */
async function taxLike(stripe: Stripe, subscriptionId: string, invoiceId: string): Promise<void> {
  const { automatic_tax: tax } = await stripe.subscriptions.retrieve(subscriptionId);
  if (!tax.enabled) return;
  const { status } = await stripe.invoices.retrieve(invoiceId);
  if (status !== "draft") return;
  try {
    await stripe.invoices.update(invoiceId, { automatic_tax: { enabled: true } });
  } catch (error) {
    // Stripe forgot where the customer is: the invoice becomes final without tax, as the month's would.
    if (!isRefused(error, unknownLocation)) throw error;
  }
}
