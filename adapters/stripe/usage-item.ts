// Usage that is on no metered line, as an item of an invoice. It has the price of the metered line: 1 USD a unit.
import Stripe from "stripe";
import type { InvoiceLabel, MicroUsd, PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call } from "./client.ts";
import { unitAmount, usageMetadata, usdText } from "./conversion.ts";
import { findOrCreate } from "./find-or-create.ts";
import { customFields } from "./invoice-label.ts";

type Draft = { customerId: string; tenantId: string; label: InvoiceLabel };

/** Adds the usage to a draft, or to a new one that does not become final by itself. */
export function usageItemAdder(stripe: Stripe): PaymentProvider["addUsage"] {
  return async ({ customerId, tenantId, label, draft, quantity }) => {
    const invoice =
      draft?.id ?? (await call("invoices.create", () => newDraft(stripe, { customerId, tenantId, label }))).id;
    const key = `archway-usage-${invoice}-${draft?.quantity ?? 0}-${quantity}`;
    await addItem(stripe, { customerId, label, invoice, key, quantity });
  };
}

/** @param wanted.key the same for every attempt to add this one item */
export async function addItem(
  stripe: Stripe,
  wanted: { customerId: string; label: InvoiceLabel; invoice: string; key: string; quantity: MicroUsd },
): Promise<void> {
  const { customerId, label, invoice, key, quantity } = wanted;
  const find = async () => {
    const { lines } = await stripe.invoices.retrieve(invoice);
    return lines.data.find(({ metadata }) => metadata.key === key);
  };
  const item = {
    customer: customerId,
    invoice,
    currency: "usd",
    description: `Model usage of ${label.workspace}`,
    quantity_decimal: Stripe.Decimal.from(usdText(Math.abs(quantity))),
    unit_amount_decimal: Stripe.Decimal.from(quantity < 0 ? `-${unitAmount}` : unitAmount),
    tax_behavior: "exclusive",
    metadata: { ...usageMetadata, key },
  } as const;
  const create = (idempotencyKey: string) => stripe.invoiceItems.create(item, { idempotencyKey });
  await findOrCreate<object>("invoiceItems.create", key, find, create);
}

/** @param metadata marks the invoice beside its workspace */
export function newDraft(
  stripe: Stripe,
  { customerId, tenantId, label }: Draft,
  metadata: Record<string, string> = {},
  options: Stripe.RequestOptions = {},
): Promise<Stripe.Invoice> {
  const draft: Stripe.InvoiceCreateParams = {
    customer: customerId,
    currency: "usd",
    auto_advance: false,
    pending_invoice_items_behavior: "exclude",
    metadata: { tenant_id: tenantId, ...metadata },
    custom_fields: customFields(label),
  };
  return stripe.invoices.create(draft, options);
}
