// A customer's payments that arrived. A charge says that it was disputed once, and only the dispute how that stands.
import type Stripe from "stripe";
import type { PaymentCharge } from "../../domain/billing/payment-provider.ts";

export async function arrivedCharges(stripe: Stripe, customerId: string): Promise<PaymentCharge[]> {
  const all = await stripe.charges.list({ customer: customerId, limit: 100 }).autoPagingToArray({ limit: 1_000 });
  return Promise.all(
    all
      .filter(({ status }) => status === "succeeded")
      .map(async ({ id, amount, amount_refunded, disputed }) => ({
        id,
        paidCents: amount,
        refundedCents: amount_refunded,
        dispute: disputed ? await latestDispute(stripe, id) : undefined,
      })),
  );
}

/** The newest comes first: a bank may dispute again what was won. */
async function latestDispute(stripe: Stripe, charge: string): Promise<PaymentCharge["dispute"]> {
  const [dispute] = (await stripe.disputes.list({ charge, limit: 1 })).data;
  return dispute && { id: dispute.id, status: dispute.status };
}
