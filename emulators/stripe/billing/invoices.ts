// The endpoints of invoices. A refusal because of the status of an invoice has no code, like the recorded refusals of Stripe
// (github.com/Kiln-AI/stripe_world, phase 13).
import * as z from "zod";
import type { Account } from "../account.ts";
import { type Endpoint, endpoint, listing, nothing, retrieval } from "../endpoint.ts";
import type { Invoice } from "../objects.ts";
import { bool, customFields, int, mergedMetadata, metadata } from "../parameters.ts";
import { invalidRequest, known, StripeRefusal } from "../refusal.ts";
import { attempt, failFinalization, finalizeByHand, markPaid, methodFor } from "./collection.ts";
import { hasDebitOnItsWay, withPayments } from "./debits.ts";
import { counted, subscriptionOf } from "./drafts.ts";
import { lacksLocation, unknownLocation } from "./tax.ts";

const payment = z.strictObject({ paid_out_of_band: bool.optional() });

export const invoices = [
  listing(
    "/v1/invoices",
    "invoices",
    ["customer", "status"],
    (account, { subscription, expand }) =>
      account.invoices
        .all()
        .filter((one) => subscription === undefined || subscriptionOf(account, one)?.id === subscription)
        .map((one) => counted(account, one))
        .map((one) => (expand ? withPayments(account, one) : one)),
    { subscription: z.string().optional(), expand: z.array(z.literal("data.payments")).optional() },
  ),
  retrieval("/v1/invoices", "invoices", "invoice", (account, id) => {
    const invoice = account.invoices.get(id);
    return invoice && counted(account, invoice);
  }),
  endpoint(
    ["POST", "/v1/invoices/:id"],
    "invoices.update",
    z.strictObject({
      auto_advance: bool.optional(),
      automatic_tax: z.strictObject({ enabled: bool }).optional(),
      automatically_finalizes_at: int.optional(),
      custom_fields: customFields.optional(),
      metadata: metadata.optional(),
    }),
    (given, { account, path }) => {
      const { auto_advance, automatic_tax, automatically_finalizes_at: at, custom_fields } = given;
      const before = taxed(account, invoiceById(account, path.id), automatic_tax);
      if (at !== undefined) checkSchedule(account, before, at);
      const advances = auto_advance ?? (at !== undefined || (before.auto_advance ?? false));
      const { grace_seconds, held_drafts } = account.settings;
      const asBefore = before.automatically_finalizes_at ?? account.now() + grace_seconds;
      const planned = held_drafts === "final_as_before" ? asBefore : (at ?? asBefore);
      const isHeldForever = at !== undefined && held_drafts === "never_final";
      const invoice = account.putInvoice({
        ...before,
        ...(custom_fields && { custom_fields }),
        metadata: mergedMetadata(before.metadata ?? {}, given.metadata),
        auto_advance: advances,
        automatically_finalizes_at: before.status === "draft" && advances && !isHeldForever ? planned : null,
        // Collection of an open invoice resumes (docs.stripe.com/invoicing/integration/automatic-advancement-collection).
        next_payment_attempt:
          before.status === "open" && auto_advance ? account.now() + 3_600 : before.next_payment_attempt,
      });
      return counted(account, invoice);
    },
  ),
  endpoint(
    ["POST", "/v1/invoices/:id/finalize"],
    "invoices.finalizeInvoice",
    z.strictObject({ auto_advance: bool.optional() }),
    ({ auto_advance }, { account, path }) => {
      const draft = invoiceById(account, path.id);
      if (draft.status !== "draft") {
        throw invalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.");
      }
      if (lacksLocation(account, draft)) {
        failFinalization(account, draft);
        throw unknownLocation();
      }
      return finalizeByHand(account, draft, auto_advance ?? draft.auto_advance ?? false);
    },
  ),
  endpoint(["POST", "/v1/invoices/:id/pay"], "invoices.pay", payment, ({ paid_out_of_band }, { account, path }) => {
    const invoice = invoiceById(account, path.id);
    if (invoice.status === "paid") throw invalidRequest("Invoice is already paid");
    // An invoice that was written off may be paid (docs.stripe.com/invoicing/integration/workflow-transitions).
    if (invoice.status !== "open" && invoice.status !== "uncollectible")
      throw invalidRequest(`Invoice is ${invoice.status} and cannot be paid`);
    if (paid_out_of_band) return markPaid(account, invoice, undefined, { isOutside: true });
    return pay(account, invoice);
  }),
  ended("void", "invoices.voidInvoice", "void", "invoice.voided"),
  ended("mark_uncollectible", "invoices.markUncollectible", "uncollectible", "invoice.marked_uncollectible"),
];

/** A final invoice is made void or written off; a paid one stays (docs.stripe.com/invoicing/integration/workflow-transitions). */
function ended(action: string, operation: string, status: "void" | "uncollectible", event: string): Endpoint {
  return endpoint(["POST", `/v1/invoices/:id/${action}`], operation, nothing, (_, { account, path }) => {
    const invoice = invoiceById(account, path.id);
    if (invoice.status !== "open" && (invoice.status !== "uncollectible" || status === "uncollectible"))
      throw invalidRequest(`Invoice is ${invoice.status} and cannot be changed so.`);
    const after = account.putInvoice({ ...invoice, status, auto_advance: false, next_payment_attempt: null });
    account.emit(event, after);
    return after;
  });
}

function invoiceById(account: Account, id = ""): Invoice {
  return known(account.invoices.get(id), "invoice", id);
}

/** Sets the automatic tax of a draft; a final invoice refuses it (docs.stripe.com/api/invoices/update). */
function taxed(account: Account, invoice: Invoice, given: { enabled: boolean } | undefined): Invoice {
  if (!given) return invoice;
  const param = "automatic_tax";
  if (invoice.status !== "draft") throw finalAlready(param);
  const changed = { ...invoice, automatic_tax: { ...invoice.automatic_tax, ...given, status: null } };
  if (lacksLocation(account, changed)) throw unknownLocation();
  return changed;
}

/** Refuses a time in the past, and any time for a final invoice (docs.stripe.com/invoicing/scheduled-finalization). */
function checkSchedule(account: Account, { status }: Invoice, at: number): void {
  const param = "automatically_finalizes_at";
  if (status !== "draft") throw finalAlready(param);
  if (at <= account.now()) throw invalidRequest("automatically_finalizes_at must be in the future.", { param });
}

function finalAlready(param: string) {
  return invalidRequest("Finalized invoices can't be updated in this way", { param });
}

function pay(account: Account, invoice: Invoice): Invoice {
  const method = methodFor(account, invoice);
  if (!method) {
    throw invalidRequest(
      "There is no `default_payment_method` set on this Customer or Invoice. Please attach a payment method to this customer before paying.",
    );
  }
  const tried = attempt(account, invoice, method);
  if (tried.status === "paid" || hasDebitOnItsWay(account, tried)) return tried;
  throw new StripeRefusal(402, "card_error", "Your card was declined.", { code: "card_declined" });
}
