// Bank debits of invoices: the bank says days later whether it paid. Until then the invoice stays open, and its payment is `processing`
// (docs.stripe.com/payments/sepa-debit, "Timing").
import * as z from "zod";
import type { Account, KeptDebit } from "../account.ts";
import { listing, retrieval } from "../endpoint.ts";
import { type Invoice, type InvoicePayment, newId, type PaymentMethod } from "../objects.ts";
import { chargesOf } from "./charges.ts";

const daySeconds = 86_400;
/** SEPA debits take two to fourteen business days. */
const debitDays = 5;

export function isDebit({ type }: PaymentMethod): boolean {
  return type === "sepa_debit";
}

/** Begins the debit of an open invoice. */
export function beginDebit(
  account: Account,
  { id: invoice, amount_remaining, currency, customer }: Invoice,
  method: PaymentMethod,
): KeptDebit {
  const id = newId("pi");
  const payment = { payment_method: method.id, payment_method_types: [method.type] };
  const money = { amount: amount_remaining, currency, customer, created: account.now() };
  const intent = { id, object: "payment_intent", ...money, ...payment, status: "processing" } as const;
  return account.putDebit({ id, intent, invoice, settlesAt: account.now() + debitDays * daySeconds });
}

export function hasDebitOnItsWay(account: Account, { id }: Invoice): boolean {
  return account.debits.all().some(({ invoice, intent }) => invoice === id && intent.status === "processing");
}

/** The payments of an invoice, newest first. */
export function paymentsOf(account: Account, invoice: Invoice): InvoicePayment[] {
  const { id, currency, created } = invoice;
  const common = { object: "invoice_payment", currency, created, invoice: id, is_default: true } as const;
  const arrived = chargesOf(account, invoice).map(({ amount, payment_intent }): InvoicePayment => {
    const payment = { type: "payment_intent", payment_intent } as const;
    return {
      id: `inpay_${payment_intent}`,
      ...common,
      amount_paid: amount,
      amount_requested: amount,
      payment,
      status: "paid",
    };
  });
  const open = account.debits.all().filter((one) => one.invoice === id && one.intent.status !== "succeeded");
  const awaited = open.map(({ intent }): InvoicePayment => {
    const payment = { type: "payment_intent", payment_intent: intent.id } as const;
    return {
      id: `inpay_${intent.id}`,
      ...common,
      amount_paid: null,
      amount_requested: intent.amount,
      payment,
      status: "open",
    };
  });
  return [...awaited.toReversed(), ...arrived];
}

/** The invoice with its payments, which a list shows with `expand` only (the SDK's Invoice.payments). */
export function withPayments(account: Account, invoice: Invoice) {
  return { ...invoice, payments: { object: "list", data: paymentsOf(account, invoice), has_more: false, url: "" } };
}

export const debits = [
  listing(
    "/v1/invoice_payments",
    "invoicePayments",
    ["invoice", "status"],
    (account, { expand }) =>
      account.invoices
        .all()
        .flatMap((one) => paymentsOf(account, one))
        .map((one) => {
          const { type, payment_intent } = one.payment;
          return expand
            ? { ...one, payment: { type, payment_intent: account.debits.get(payment_intent)?.intent } }
            : one;
        }),
    { expand: z.array(z.literal("data.payment.payment_intent")).optional() },
  ),
  retrieval("/v1/payment_intents", "paymentIntents", "payment_intent", (account, id) => account.debits.get(id)?.intent),
];
