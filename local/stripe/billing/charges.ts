// Charges of paid invoices, and what takes them back: refunds, credit notes and disputes.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint } from "../endpoint.ts";
import { newId } from "../ids.ts";
import { listOf } from "../lists.ts";
import type { Charge, CreditNote, Dispute, Invoice } from "../objects.ts";
import { int, metadata, page } from "../parameters.ts";
import { invalidRequest, missing, StripeRefusal } from "../refusal.ts";

const none = z.strictObject({});
const expand = z.array(z.literal("charge")).optional();

/** A paid invoice has a charge, unless nothing was due. */
export function charge(account: Account, { customer, amount_due, currency, id }: Invoice, disputed: boolean): void {
  if (amount_due === 0) return;
  const chargeId = newId("ch");
  const made: Charge = {
    id: chargeId,
    object: "charge",
    amount: amount_due,
    amount_refunded: 0,
    created: account.now(),
    currency,
    customer,
    description: descriptionOf(id),
    disputed: false,
    paid: true,
    payment_intent: newId("pi"),
    receipt_url: `${account.pagesUrl}/r/${chargeId}`,
    refunded: false,
    status: "succeeded",
  };
  account.charges.put(made.id, made);
  account.emit("charge.succeeded", made);
  if (disputed) dispute(account, made);
}

/** By which a charge's invoice is found here; Stripe's own text is another one. */
const descriptionOf = (invoiceId: string) => `Invoice ${invoiceId}`;

/** The invoice with its payments, which a list shows with `expand` only (the SDK's Invoice.payments). */
export function withPayments(account: Account, invoice: Invoice) {
  const own = account.charges.all().filter(({ description }) => description === descriptionOf(invoice.id));
  const data = own.map(({ amount, payment_intent }) => ({
    ...{ object: "invoice_payment", amount_paid: amount, status: "paid" },
    payment: { type: "payment_intent", payment_intent },
  }));
  return { ...invoice, payments: { object: "list", data, has_more: false, url: "" } };
}

/** A dispute takes the amount back until it is won (docs.stripe.com/disputes/how-disputes-work). */
function dispute(account: Account, of: Charge): void {
  account.charges.put(of.id, { ...of, disputed: true });
  const { id: charge, amount, currency } = of;
  const status = "needs_response" as const;
  const made: Dispute = {
    id: newId("du"),
    object: "dispute",
    amount,
    charge,
    created: account.now(),
    currency,
    status,
  };
  account.disputes.put(made.id, made);
  account.emit("charge.dispute.created", made);
}

function close(account: Account, open: Dispute, status: "won" | "lost"): Dispute {
  if (open.status !== "needs_response") throw invalidRequest("This dispute is already closed.");
  const closed: Dispute = { ...open, status };
  account.disputes.put(closed.id, closed);
  account.emit("charge.dispute.closed", closed);
  return closed;
}

export const charges = [
  endpoint(
    ["GET", "/v1/charges"],
    "charges.list",
    z.strictObject({ ...page, customer: z.string().optional(), created: z.strictObject({ gte: int }).optional() }),
    ({ customer, created, ...page }, { account }) => {
      const found = account.charges
        .all()
        .filter((one) => customer === undefined || one.customer === customer)
        .filter((one) => one.created >= (created?.gte ?? 0));
      return listOf("/v1/charges", found, page);
    },
  ),
  endpoint(["GET", "/v1/charges/:id"], "charges.retrieve", none, (_, { account, path }) =>
    known(account.charges.get(path.id ?? ""), "charge", path.id),
  ),
  endpoint(
    ["POST", "/v1/refunds"],
    "refunds.create",
    z.strictObject({ charge: z.string(), amount: int.optional() }),
    ({ charge: id, amount }, { account }) => {
      const of = known(account.charges.get(id), "charge", id);
      return refund(account, of, amount ?? of.amount - of.amount_refunded);
    },
  ),
  endpoint(
    ["GET", "/v1/disputes"],
    "disputes.list",
    z.strictObject({ ...page, charge: z.string().optional() }),
    ({ charge: of, ...page }, { account }) =>
      listOf(
        "/v1/disputes",
        account.disputes.all().filter((one) => of === undefined || one.charge === of),
        page,
      ),
  ),
  endpoint(["GET", "/v1/disputes/:id"], "disputes.retrieve", z.strictObject({ expand }), ({ expand }, context) => {
    const { account, path } = context;
    const found = known(account.disputes.get(path.id ?? ""), "dispute", path.id);
    return expand ? { ...found, charge: account.charges.get(found.charge) } : found;
  }),
  // The words that win or lose a dispute of a test card (docs.stripe.com/testing#disputes, "Evidence").
  endpoint(
    ["POST", "/v1/disputes/:id"],
    "disputes.update",
    z.strictObject({
      evidence: z.strictObject({ uncategorized_text: z.enum(["winning_evidence", "losing_evidence"]) }),
    }),
    ({ evidence }, { account, path }) => {
      const open = known(account.disputes.get(path.id ?? ""), "dispute", path.id);
      return close(account, open, evidence.uncategorized_text === "winning_evidence" ? "won" : "lost");
    },
  ),
  // Closing accepts the dispute (docs.stripe.com/api/disputes/close).
  endpoint(["POST", "/v1/disputes/:id/close"], "disputes.close", none, (_, { account, path }) =>
    close(account, known(account.disputes.get(path.id ?? ""), "dispute", path.id), "lost"),
  ),
  // An open invoice owes less; of a paid one the parts that go back add up to the amount (docs.stripe.com/api/credit_notes/create).
  endpoint(
    ["POST", "/v1/credit_notes"],
    "creditNotes.create",
    z.strictObject({
      ...{ invoice: z.string(), amount: int, memo: z.string().optional(), metadata: metadata.optional() },
      ...{ out_of_band_amount: int.optional(), refund_amount: int.optional(), credit_amount: int.optional() },
    }),
    (given, { account }) => {
      const { invoice: id, amount, refund_amount = 0, credit_amount = 0, out_of_band_amount = 0 } = given;
      const invoice = known(account.invoices.get(id), "invoice", id);
      if (invoice.status !== "open" && invoice.status !== "paid")
        throw invalidRequest("Credit notes can only be created for open or paid invoices.", { param: "invoice" });
      const isPaid = invoice.status === "paid";
      if (isPaid && refund_amount + credit_amount + out_of_band_amount !== amount)
        throw invalidRequest("The refund, credit and out of band amounts must add up to the amount.");
      if (refund_amount > 0) refund(account, chargeOf(account, invoice), refund_amount);
      const customer = account.customer(invoice.customer, "customer", 400);
      if (credit_amount > 0) account.putCustomer({ ...customer, balance: customer.balance - credit_amount });
      const field = isPaid ? "post_payment_credit_notes_amount" : "pre_payment_credit_notes_amount";
      const credited = { ...invoice, [field]: (invoice[field] ?? 0) + amount };
      if (!isPaid) credited.amount_remaining = Math.max(0, invoice.amount_remaining - amount);
      account.putInvoice(credited);
      const note: CreditNote = {
        ...{ id: newId("cn"), object: "credit_note", amount, customer: invoice.customer, invoice: id },
        ...{ status: "issued", metadata: given.metadata ?? {} },
      };
      account.creditNotes.put(note.id, note);
      account.emit("credit_note.created", note);
      return note;
    },
  ),
  endpoint(
    ["GET", "/v1/credit_notes"],
    "creditNotes.list",
    z.strictObject({ ...page, customer: z.string().optional(), invoice: z.string().optional() }),
    ({ customer, invoice, ...page }, { account }) => {
      const found = account.creditNotes
        .all()
        .filter((one) => customer === undefined || one.customer === customer)
        .filter((one) => invoice === undefined || one.invoice === invoice);
      return listOf("/v1/credit_notes", found, page);
    },
  ),
  endpoint(["GET", "/v1/credit_notes/:id"], "creditNotes.retrieve", none, (_, { account, path }) =>
    known(account.creditNotes.get(path.id ?? ""), "credit note", path.id),
  ),
];

function refund(account: Account, of: Charge, amount: number) {
  const { id } = of;
  if (of.disputed) throw refused("charge_disputed", `Charge ${id} has been charged back; cannot issue a refund.`);
  if (amount < 1 || amount > of.amount - of.amount_refunded)
    throw refused("charge_already_refunded", `Charge ${id} has already been refunded.`);
  const amount_refunded = of.amount_refunded + amount;
  const after = { ...of, amount_refunded, refunded: amount_refunded === of.amount };
  account.charges.put(id, after);
  account.emit("charge.refunded", after);
  return { id: newId("re"), object: "refund", amount, charge: id, status: "succeeded" };
}

function chargeOf(account: Account, { id }: Invoice): Charge {
  return known(
    account.charges.all().find(({ description }) => description === descriptionOf(id)),
    "charge",
    id,
  );
}

function known<T>(found: T | undefined, noun: string, id = ""): T {
  if (!found) throw missing(noun, id);
  return found;
}

function refused(code: string, message: string): StripeRefusal {
  return new StripeRefusal(400, "invalid_request_error", message, { code });
}
