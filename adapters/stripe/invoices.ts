// A customer's invoices: all of them, with what people have paid outside of Stripe and whether a bank debit is on its way; and a page of them, with
// the receipts. An invoice names its payments, and the charges of payments have the receipts.
import type Stripe from "stripe";
import type { PaymentInvoice, PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call } from "./client.ts";
import { idOf, invoiceFrom } from "./conversion.ts";

/** Stripe lists no more invoices in one answer. */
const mostAtOnce = 100;

/** @throws as PaymentProvider */
export async function invoicesOf(stripe: Stripe, customer: string): Promise<PaymentInvoice[]> {
  const found = await call("invoices.list", () =>
    stripe.invoices.list({ customer, limit: 100, expand: ["data.payments"] }).autoPagingToArray({ limit: 1_000 }),
  );
  return Promise.all(found.map((one) => withDebit(stripe, invoiceFrom(one))));
}

/** Asks for the payments of an invoice that nobody seems to collect: its debit may be on its way, which takes days. */
async function withDebit(stripe: Stripe, invoice: PaymentInvoice): Promise<PaymentInvoice> {
  const { id, status, dueCents, nextAttemptAt } = invoice;
  if (status !== "open" || dueCents === 0 || nextAttemptAt !== undefined) return invoice;
  const asked = { invoice: id, status: "open", limit: 100, expand: ["data.payment.payment_intent"] } as const;
  const { data } = await call("invoicePayments.list", () =>
    stripe.invoicePayments.list({ ...asked, expand: [...asked.expand] }),
  );
  return { ...invoice, isProcessing: data.some(isProcessing) };
}

function isProcessing({ payment: { payment_intent } }: Stripe.InvoicePayment): boolean {
  return typeof payment_intent === "object" && payment_intent.status === "processing";
}

export function invoicePages(stripe: Stripe): PaymentProvider["invoicePage"] {
  return async (customer, { limit, after }) => {
    const asked = {
      ...{ customer, limit: Math.min(mostAtOnce, limit + 1), expand: ["data.payments"] },
      ...(after !== undefined && { starting_after: after }),
    };
    const found = await call("invoices.list", () =>
      stripe.invoices.list(asked).autoPagingToArray({ limit: limit + 1 }),
    );
    const shown = found.slice(0, limit);
    const receipts = await receiptsOf(stripe, customer, shown);
    const invoices = shown.map((invoice) => ({
      ...invoiceFrom(invoice),
      receiptUrl: paymentsOf(invoice).flatMap((payment) => receipts.get(payment) ?? [])[0],
    }));
    return { invoices, hasMore: found.length > limit };
  };
}

/** Receipts by the id of the payment. Charges are not older than their invoice. */
async function receiptsOf(
  stripe: Stripe,
  customer: string,
  invoices: readonly Stripe.Invoice[],
): Promise<Map<string, string>> {
  const paid = invoices.filter((invoice) => paymentsOf(invoice).length > 0);
  if (paid.length === 0) return new Map();
  const created = { gte: Math.min(...paid.map((invoice) => invoice.created)) };
  const charges = await call("charges.list", () =>
    stripe.charges.list({ customer, created, limit: mostAtOnce }).autoPagingToArray({ limit: 1_000 }),
  );
  return new Map(
    charges
      .filter(({ paid, receipt_url }) => paid && receipt_url !== null)
      .map(({ payment_intent, receipt_url }) => [idOf(payment_intent) ?? "", receipt_url ?? ""]),
  );
}

function paymentsOf({ payments }: Stripe.Invoice): string[] {
  return (payments?.data ?? []).flatMap(({ status, payment }) =>
    status === "paid" ? (idOf(payment.payment_intent) ?? []) : [],
  );
}
