// Charges: what was taken from a card for an invoice, each with a receipt. An invoice shows them as its payments if it is asked to.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint } from "../endpoint.ts";
import { newId } from "../ids.ts";
import { listOf } from "../lists.ts";
import type { Charge, Invoice } from "../objects.ts";
import { int, page } from "../parameters.ts";

export const charges = [
  endpoint(
    ["GET", "/v1/charges"],
    "charges.list",
    z.strictObject({ ...page, customer: z.string().optional(), created: z.strictObject({ gte: int }).optional() }),
    ({ customer, created, ...page }, { account }) => {
      const found = account.charges
        .all()
        .filter((one) => customer === undefined || one.customer === customer)
        .filter((one) => one.created >= (created?.gte ?? 0))
        .map(({ invoice: _, ...shown }) => shown);
      return listOf("/v1/charges", found, page);
    },
  ),
];

/** Notes that a card was charged with what was due of the invoice. */
export function charge(account: Account, invoice: Invoice): void {
  const id = newId("ch");
  account.charges.put(id, {
    id,
    object: "charge",
    amount: invoice.amount_due,
    created: account.now(),
    currency: invoice.currency,
    customer: invoice.customer,
    invoice: invoice.id,
    livemode: false,
    paid: true,
    payment_intent: newId("pi"),
    receipt_url: `${account.pagesUrl}/r/${id}`,
    status: "succeeded",
  });
}

/** The invoice with its payments, which a list shows with `expand` only (the SDK's Invoice.payments). */
export function withPayments(account: Account, invoice: Invoice) {
  const data = account.charges.all().filter((one) => one.invoice === invoice.id);
  return { ...invoice, payments: { object: "list", data: data.map(paymentOf), has_more: false, url: "" } };
}

function paymentOf({ amount, payment_intent }: Charge) {
  return {
    object: "invoice_payment",
    amount_paid: amount,
    payment: { type: "payment_intent", payment_intent },
    status: "paid",
  };
}
