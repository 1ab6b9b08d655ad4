// The page of a final invoice, on which a person confirms its payment, and that of a receipt.
import type { Account } from "../account.ts";
import { attempt, markPaid, methodFor } from "../billing/collection.ts";
import type { Invoice } from "../objects.ts";
import { invalidRequest, known } from "../refusal.ts";
import { asksPerson } from "../test-cards.ts";
import { form, html, money, type Shown } from "./page.ts";

function finalInvoice(account: Account, id: string): Invoice {
  const invoice = account.invoices.get(id);
  return known(invoice?.status === "draft" ? undefined : invoice, "invoice", id);
}

export function showInvoice(account: Account, id: string): Shown {
  const { status, number, currency, lines, custom_fields, total, amount_due, customer } = finalInvoice(account, id);
  const rows = lines.data.map(
    ({ description, quantity_decimal, amount }) =>
      html`<li>${description}: ${quantity_decimal} units, ${money(amount, currency)}</li>`,
  );
  const { name, address, email, tax_ids } = account.customers.get(customer)?.customer ?? {};
  const taxIds = (tax_ids?.data ?? []).map(({ value }) => value);
  const company = [name, address?.country, ...taxIds].filter(Boolean).join(", ");
  const fields = (custom_fields ?? []).map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`);
  const content = html`<p>Bill to ${company || email}</p>
<dl>${fields}</dl>
<ul>${rows}</ul>
<p>Total ${money(total, currency)}, due ${money(amount_due, currency)}: ${status}</p>
${isToBePaid(status) ? form("Confirm and pay", {}) : ""}`;
  return { title: `Invoice ${number}`, content };
}

function isToBePaid(status: Invoice["status"]): boolean {
  return status === "open" || status === "uncollectible";
}

/** The person confirms the payment at the bank, with the card that is there. */
export function confirmPayment(account: Account, id: string): string {
  const invoice = finalInvoice(account, id);
  const method = methodFor(account, invoice);
  if (!isToBePaid(invoice.status) || !method) throw invalidRequest("There is nothing to pay, or no payment method.");
  if (asksPerson(method)) markPaid(account, invoice, method);
  else attempt(account, invoice, method);
  return `${account.pagesUrl}/i/${id}`;
}

export function showReceipt(account: Account, id: string): Shown {
  const { amount, currency, description } = known(account.charges.get(id), "charge", id);
  return { title: "Receipt", content: html`<p>Paid ${money(amount, currency)}: ${description}</p>` };
}
