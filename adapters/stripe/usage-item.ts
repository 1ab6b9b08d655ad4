// Usage that an invoice lacks, as an item that is added to it. It has the price of the metered line: 1 USD a unit.
import Stripe from "stripe";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call } from "./client.ts";
import { usageMetadata, usdText } from "./conversion.ts";

/** Adds the usage to a draft, or to a new one that does not become final by itself. */
export function usageItemAdder(stripe: Stripe): PaymentProvider["addUsage"] {
  return async ({ customerId, tenantId, invoiceId, quantity }) => {
    const invoice = invoiceId ?? (await call("invoices.create", () => newDraft(stripe, customerId, tenantId))).id;
    await call("invoiceItems.create", () =>
      stripe.invoiceItems.create(
        {
          customer: customerId,
          invoice,
          currency: "usd",
          description: "Model usage",
          quantity_decimal: Stripe.Decimal.from(usdText(Math.abs(quantity))),
          unit_amount_decimal: Stripe.Decimal.from(quantity < 0 ? "-100" : "100"),
          tax_behavior: "exclusive",
          metadata: usageMetadata,
        },
        { idempotencyKey: `archway-usage-${invoice}-${quantity}` },
      ),
    );
  };
}

function newDraft(stripe: Stripe, customer: string, tenantId: string) {
  return stripe.invoices.create({
    customer,
    currency: "usd",
    auto_advance: false,
    pending_invoice_items_behavior: "exclude",
    metadata: { tenant_id: tenantId },
  });
}
