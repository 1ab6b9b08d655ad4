// Charges of paid invoices, and their disputes.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint, listing, nothing, retrieval } from "../endpoint.ts";
import { type Charge, type Dispute, type Invoice, newId } from "../objects.ts";
import { int } from "../parameters.ts";
import { invalidRequest, known } from "../refusal.ts";

/** A paid invoice has a charge, unless nothing was due. */
export function charge(
  account: Account,
  { customer, amount_due, currency, id }: Invoice,
  { disputed, intent = newId("pi") }: { disputed: boolean; intent?: string | undefined },
): void {
  if (amount_due === 0) return;
  const chargeId = newId("ch");
  const made: Charge = {
    ...{ id: chargeId, object: "charge", amount: amount_due, amount_refunded: 0, created: account.now(), currency },
    ...{ customer, description: descriptionOf(id), disputed: false, paid: true, payment_intent: intent },
    receipt_url: `${account.pagesUrl}/r/${chargeId}`,
    status: "succeeded",
  };
  account.charges.put(made.id, made);
  if (disputed) dispute(account, made);
}

/** The description by which a charge's invoice is found here. Stripe's own text is another one. */
const descriptionOf = (invoiceId: string) => `Invoice ${invoiceId}`;

export function chargesOf(account: Account, { id }: Invoice): Charge[] {
  return account.charges.all().filter(({ description }) => description === descriptionOf(id));
}

/** A dispute takes the amount back until it is won (docs.stripe.com/disputes/how-disputes-work). */
function dispute(account: Account, of: Charge): void {
  account.charges.put(of.id, { ...of, disputed: true });
  const { id: charge, amount, currency } = of;
  const made: Dispute = {
    ...{ id: newId("du"), object: "dispute", amount, charge, created: account.now(), currency },
    status: "needs_response",
  };
  account.disputes.put(made.id, made);
  account.emit("charge.dispute.created", made);
}

function close(account: Account, id = "", status: "won" | "lost" = "lost"): Dispute {
  const open = known(account.disputes.get(id), "dispute", id);
  if (open.status !== "needs_response") throw invalidRequest("This dispute is already closed.");
  const closed: Dispute = { ...open, status };
  account.disputes.put(closed.id, closed);
  account.emit("charge.dispute.closed", closed);
  return closed;
}

export const charges = [
  listing(
    "/v1/charges",
    "charges",
    ["customer"],
    ({ charges }, { created }) => charges.all().filter((one) => one.created >= (created?.gte ?? 0)),
    { created: z.strictObject({ gte: int }).optional() },
  ),
  retrieval("/v1/charges", "charges", "charge", ({ charges }, id) => charges.get(id)),
  listing("/v1/disputes", "disputes", ["charge"], ({ disputes }) => disputes.all()),
  endpoint(
    ["GET", "/v1/disputes/:id"],
    "disputes.retrieve",
    z.strictObject({ expand: z.array(z.literal("charge")).optional() }),
    ({ expand }, { account, path: { id = "" } }) => {
      const found = known(account.disputes.get(id), "dispute", id);
      return expand ? { ...found, charge: account.charges.get(found.charge) } : found;
    },
  ),
  // The words that win or lose a dispute of a test card (docs.stripe.com/testing#disputes, "Evidence").
  endpoint(
    ["POST", "/v1/disputes/:id"],
    "disputes.update",
    z.strictObject({
      evidence: z.strictObject({ uncategorized_text: z.enum(["winning_evidence", "losing_evidence"]) }),
    }),
    ({ evidence }, { account, path }) =>
      close(account, path.id, evidence.uncategorized_text === "winning_evidence" ? "won" : "lost"),
  ),
  // Closing accepts the dispute (docs.stripe.com/api/disputes/close).
  endpoint(["POST", "/v1/disputes/:id/close"], "disputes.close", nothing, (_, { account, path }) =>
    close(account, path.id),
  ),
];
