// Invoices that are made by hand, and items on drafts.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint } from "../endpoint.ts";
import { type InvoiceLine, newId } from "../objects.ts";
import { bool, customFields, metadata } from "../parameters.ts";
import { invalidRequest, known } from "../refusal.ts";
import { cents, newInvoice } from "./drafts.ts";

const newItem = z.strictObject({
  ...{ customer: z.string(), invoice: z.string(), currency: z.string().length(3), description: z.string().optional() },
  quantity_decimal: z.string().regex(/^\d{1,9}(\.\d{1,6})?$/),
  unit_amount_decimal: z.string().regex(/^-?\d{1,9}$/),
  tax_behavior: z.enum(["exclusive", "inclusive", "unspecified"]).optional(),
  metadata: metadata.default({}),
});

export const invoiceItems = [
  endpoint(
    ["POST", "/v1/invoices"],
    "invoices.create",
    z.strictObject({
      customer: z.string(),
      currency: z.string().length(3),
      auto_advance: bool.optional(),
      pending_invoice_items_behavior: z.literal("exclude").optional(),
      metadata: metadata.default({}),
      custom_fields: customFields.optional(),
    }),
    ({ customer, currency, metadata, custom_fields = null }, { account }) => {
      account.customer(customer, "customer", 400);
      const draft = { ...newInvoice(account, { customer, currency }), metadata, custom_fields };
      account.emit("invoice.created", account.putInvoice(draft));
      return draft;
    },
  ),
  endpoint(["POST", "/v1/invoiceitems"], "invoiceItems.create", newItem, (given, { account }) => {
    const invoice = known(account.invoices.get(given.invoice), "invoice", given.invoice, "invoice", 400);
    if (invoice.status !== "draft") throw invalidRequest("This invoice is no longer editable", { param: "invoice" });
    // The words of Stripe where an amount may not be below zero (github.com/stripe/stripe-php/issues/1285).
    if (given.unit_amount_decimal.startsWith("-") && !account.settings.items_below_zero)
      throw invalidRequest("Invalid non-negative integer", { param: "unit_amount_decimal" });
    const data = [...invoice.lines.data, newLine(account, given)];
    account.putInvoice({ ...invoice, lines: { ...invoice.lines, data } });
    return { id: newId("ii"), object: "invoiceitem", invoice: invoice.id, customer: invoice.customer };
  }),
];

function newLine(account: Account, given: z.output<typeof newItem>): InvoiceLine {
  const { invoice, currency, description = null, quantity_decimal, unit_amount_decimal, metadata } = given;
  const quantity = Number(quantity_decimal);
  const amount = cents(Math.round(quantity * 1e6), unit_amount_decimal);
  return {
    ...{ id: newId("il"), object: "line_item", amount, currency, description, invoice, metadata },
    parent: { type: "invoice_item_details" },
    period: { start: account.now(), end: account.now() },
    pricing: { type: "price_details", unit_amount_decimal },
    ...{ quantity: Math.trunc(quantity), quantity_decimal },
  } as unknown as InvoiceLine;
}
