// What gives money back: refunds of charges, and credit notes, which take an amount off a final invoice.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint, listing, retrieval } from "../endpoint.ts";
import { type Charge, type CreditNote, newId } from "../objects.ts";
import { int, metadata } from "../parameters.ts";
import { invalidRequest, known } from "../refusal.ts";
import { chargesOf } from "./charges.ts";

const newNote = z.strictObject({
  ...{ invoice: z.string(), amount: int, memo: z.string().optional(), metadata: metadata.default({}) },
  ...{ out_of_band_amount: int.default(0), refund_amount: int.default(0), credit_amount: int.default(0) },
});

export const creditNotes = [
  endpoint(
    ["POST", "/v1/refunds"],
    "refunds.create",
    z.strictObject({ charge: z.string(), amount: int.optional() }),
    ({ charge: id, amount }, { account }) => {
      const of = known(account.charges.get(id), "charge", id);
      return refund(account, of, amount ?? of.amount - of.amount_refunded);
    },
  ),
  endpoint(["POST", "/v1/credit_notes"], "creditNotes.create", newNote, (given, { account }) => issue(account, given)),
  listing("/v1/credit_notes", "creditNotes", ["customer", "invoice"], ({ creditNotes }) => creditNotes.all()),
  retrieval("/v1/credit_notes", "creditNotes", "credit note", ({ creditNotes }, id) => creditNotes.get(id)),
];

/** An open invoice owes less; of a paid one the parts that go back add up to the amount (docs.stripe.com/api/credit_notes/create). */
function issue(account: Account, given: z.output<typeof newNote>): CreditNote {
  const { invoice: id, amount, refund_amount, credit_amount, out_of_band_amount, metadata } = given;
  const invoice = known(account.invoices.get(id), "invoice", id);
  if (invoice.status !== "open" && invoice.status !== "paid")
    throw invalidRequest("Credit notes can only be created for open or paid invoices.", { param: "invoice" });
  const isPaid = invoice.status === "paid";
  if (isPaid && refund_amount + credit_amount + out_of_band_amount !== amount)
    throw invalidRequest("The refund, credit and out of band amounts must add up to the amount.");
  if (refund_amount > 0) refund(account, known(chargesOf(account, invoice)[0], "charge", id), refund_amount);
  const customer = account.customer(invoice.customer, "customer", 400);
  if (credit_amount > 0) account.putCustomer({ ...customer, balance: customer.balance - credit_amount });
  const field = isPaid ? "post_payment_credit_notes_amount" : "pre_payment_credit_notes_amount";
  account.putInvoice({
    ...invoice,
    [field]: (invoice[field] ?? 0) + amount,
    ...(!isPaid && { amount_remaining: Math.max(0, invoice.amount_remaining - amount) }),
  });
  const made = { id: newId("cn"), object: "credit_note", status: "issued" } as const;
  const note: CreditNote = { ...made, amount, customer: invoice.customer, invoice: id, metadata };
  account.creditNotes.put(note.id, note);
  account.emit("credit_note.created", note);
  return note;
}

function refund(account: Account, of: Charge, amount: number) {
  const { id } = of;
  const refused = (code: string, message: string) => invalidRequest(message, { code });
  if (of.disputed) throw refused("charge_disputed", `Charge ${id} has been charged back; cannot issue a refund.`);
  if (amount < 1 || amount > of.amount - of.amount_refunded)
    throw refused("charge_already_refunded", `Charge ${id} has already been refunded.`);
  const after = { ...of, amount_refunded: of.amount_refunded + amount };
  account.charges.put(id, after);
  account.emit("charge.refunded", after);
  return { id: newId("re"), object: "refund", amount, charge: id, status: "succeeded" };
}
