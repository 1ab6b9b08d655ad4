// The page of a final invoice.
import type { Account } from "../account.ts";
import { attempt, markPaid, methodFor } from "../billing/collection.ts";
import { counted } from "../billing/drafts.ts";
import { invalidRequest, missing } from "../refusal.ts";
import { asksPerson } from "../test-cards.ts";
import { html, type PageAnswer, page } from "./page.ts";

export function showInvoice(account: Account, id: string): PageAnswer {
  const kept = account.invoices.get(id);
  if (!kept || kept.status === "draft") throw missing("invoice", id);
  const invoice = counted(account, kept);
  const money = (cents: number) => `${(cents / 100).toFixed(2)} ${invoice.currency.toUpperCase()}`;
  const lines = invoice.lines.data.map(
    ({ description, quantity_decimal, amount }) =>
      html`<li>${description}: ${quantity_decimal} units, ${money(amount)}</li>`,
  );
  const customer = account.customers.get(invoice.customer)?.customer;
  const fields = (invoice.custom_fields ?? []).map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`);
  const taxIds = (customer?.tax_ids?.data ?? []).map(({ value }) => value).join(", ");
  const company = [customer?.name, customer?.address?.country, taxIds].filter(Boolean).join(", ");
  return page(
    200,
    `Invoice ${invoice.number}`,
    html`<p>Bill to ${company || customer?.email}</p>
<dl>${fields}</dl>
<ul>${lines}</ul>
<p>Total ${money(invoice.total)}, due ${money(invoice.amount_due)}: ${invoice.status}</p>
${invoice.status === "open" ? html`<form method="post"><button type="submit">Confirm and pay</button></form>` : ""}`,
  );
}

/** The person confirms the payment at the bank, with the card that is there. */
export function confirmPayment(account: Account, id: string): PageAnswer {
  const invoice = account.invoices.get(id);
  if (invoice?.status !== "open") throw missing("invoice", id);
  const method = methodFor(account, invoice);
  if (!method) throw invalidRequest("There is no payment method.");
  if (asksPerson(method)) markPaid(account, invoice, method);
  else attempt(account, invoice, method);
  return showInvoice(account, id);
}
