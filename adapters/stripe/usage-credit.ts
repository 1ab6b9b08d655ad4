// Usage that a final invoice has too much, as a credit note.
import type Stripe from "stripe";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call } from "./client.ts";
import { idOf, usageMetadata } from "./conversion.ts";
import { findOrCreate } from "./find-or-create.ts";

/** Lists the credit notes that the product made. A credit note that people make by hand says nothing about usage. */
export function usageCreditLister(stripe: Stripe): PaymentProvider["usageCredits"] {
  return async (customer) =>
    (await notesOf(stripe, { customer })).map(({ invoice, metadata }) => ({
      invoiceId: idOf(invoice) ?? "",
      quantity: Number(metadata?.quantity),
    }));
}

export function usageCrediter(stripe: Stripe): PaymentProvider["creditUsage"] {
  return async ({ invoiceId: invoice, creditedBefore, quantity, cents, refundedCents }) => {
    const key = `archway-credit-${invoice}-${creditedBefore}`;
    const { status } = await call("invoices.retrieve", () => stripe.invoices.retrieve(invoice));
    const note: Stripe.CreditNoteCreateParams = {
      invoice,
      amount: cents,
      // For a paid invoice the two parts have to add up to the amount (docs.stripe.com/api/credit_notes/create).
      ...(status === "paid" && { refund_amount: refundedCents, credit_amount: cents - refundedCents }),
      memo: "Model usage that was billed too much",
      metadata: { ...usageMetadata, quantity: String(quantity), key },
    };
    const find = async () => (await notesOf(stripe, { invoice })).find(({ metadata }) => metadata?.key === key);
    await findOrCreate("creditNotes.create", key, find, (idempotencyKey) =>
      stripe.creditNotes.create(note, { idempotencyKey }),
    );
  };
}

async function notesOf(stripe: Stripe, of: { customer: string } | { invoice: string }): Promise<Stripe.CreditNote[]> {
  const all = await call("creditNotes.list", () =>
    stripe.creditNotes.list({ ...of, limit: 100 }).autoPagingToArray({ limit: 1_000 }),
  );
  return all.filter(({ metadata, status }) => metadata?.archway === usageMetadata.archway && status !== "void");
}
