// Invoices that are made by hand, and items on drafts.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint } from "../endpoint.ts";
import { newId } from "../ids.ts";
import type { InvoiceLine } from "../objects.ts";
import { bool, customFields, metadata } from "../parameters.ts";
import { invalidRequest, missing } from "../refusal.ts";
import { cents, newInvoice } from "./drafts.ts";

const decimal = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/);

export const invoiceItems = [
  endpoint(
    ["POST", "/v1/invoices"],
    "invoices.create",
    z.strictObject({
      customer: z.string(),
      currency: z.string().length(3),
      auto_advance: bool.optional(),
      pending_invoice_items_behavior: z.literal("exclude").optional(),
      metadata: metadata.optional(),
      custom_fields: customFields.optional(),
    }),
    ({ customer, currency, metadata = {}, custom_fields = null }, { account }) => {
      account.customer(customer, "customer", 400);
      const period = { start: account.now(), end: account.now() };
      const invoice = account.putInvoice({
        ...newInvoice(account, { customer, currency }, period),
        ...{ metadata, custom_fields },
      });
      account.emit("invoice.created", invoice);
      return invoice;
    },
  ),
  endpoint(
    ["POST", "/v1/invoiceitems"],
    "invoiceItems.create",
    z.strictObject({
      customer: z.string(),
      invoice: z.string(),
      currency: z.string().length(3),
      description: z.string().optional(),
      quantity_decimal: decimal,
      unit_amount_decimal: z.string().regex(/^-?\d{1,9}$/),
      tax_behavior: z.enum(["exclusive", "inclusive", "unspecified"]).optional(),
      metadata: metadata.optional(),
    }),
    (given, { account }) => {
      const invoice = account.invoices.get(given.invoice);
      if (!invoice) throw missing("invoice", given.invoice, "invoice", 400);
      if (invoice.status !== "draft") throw invalidRequest("This invoice is no longer editable", { param: "invoice" });
      const line = newLine(account, given);
      account.putInvoice({ ...invoice, lines: { ...invoice.lines, data: [...invoice.lines.data, line] } });
      return { id: newId("ii"), object: "invoiceitem", invoice: invoice.id, customer: invoice.customer };
    },
  ),
];

type Given = {
  invoice: string;
  currency: string;
  description?: string | undefined;
  quantity_decimal: string;
  unit_amount_decimal: string;
  metadata?: Record<string, string> | undefined;
};

function newLine(account: Account, given: Given): InvoiceLine {
  const { invoice, currency, description = null, quantity_decimal, unit_amount_decimal, metadata = {} } = given;
  const amount = cents(Math.round(Number(quantity_decimal) * 1e6), unit_amount_decimal);
  return {
    id: newId("il"),
    object: "line_item",
    ...{ amount, currency, description, invoice, livemode: false, metadata },
    parent: { type: "invoice_item_details" },
    period: { start: account.now(), end: account.now() },
    pricing: { type: "price_details", unit_amount_decimal },
    quantity: Math.trunc(Number(quantity_decimal)),
    quantity_decimal,
    subtotal: amount,
  } as unknown as InvoiceLine;
}
