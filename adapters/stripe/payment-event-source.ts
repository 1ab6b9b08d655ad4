// Stripe's thin events: which ones `npm run stripe:setup` asks for, what each tells, and the signature of a delivery.
import Stripe from "stripe";
import type { PaymentEventKind, PaymentEventSource } from "../../domain/billing/payment-event.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { type StripeOptions, stripeClient } from "./client.ts";

export const eventTypes: Readonly<Record<string, PaymentEventKind>> = {
  "v1.checkout.session.completed": "changed",
  "v1.payment_method.attached": "changed",
  "v1.payment_method.detached": "changed",
  "v1.customer.updated": "changed",
  "v1.customer.deleted": "changed",
  "v1.customer.subscription.updated": "changed",
  "v1.customer.subscription.deleted": "changed",
  "v1.invoice.created": "invoice_created",
  "v1.invoice.finalized": "invoice_final",
  "v1.invoice.finalization_failed": "invoice_not_final",
  "v1.invoice.paid": "changed",
  "v1.invoice.payment_failed": "payment_failed",
  "v1.invoice.payment_action_required": "action_required",
  "v1.invoice.voided": "changed",
  "v1.invoice.marked_uncollectible": "changed",
  "v1.charge.refunded": "changed",
  "v1.charge.dispute.created": "changed",
  "v1.charge.dispute.updated": "changed",
  "v1.charge.dispute.closed": "changed",
  "v1.credit_note.created": "changed",
  "v1.credit_note.voided": "changed",
  "v1.billing.meter.error_report_triggered": "usage_not_counted",
  "v1.billing.meter.no_meter_found": "usage_not_counted",
};

/** docs.stripe.com/webhooks/signature: the library's own default. */
const toleranceSeconds = 300;

/** @param signingSecret of the destination, `whsec_...` */
export function stripeEventSource(options: StripeOptions & { signingSecret: string }): PaymentEventSource {
  const stripe = stripeClient(options);
  return {
    verified: (body, signature, now) => {
      const { id, type, related_object } = notification(stripe, body, signature, options.signingSecret, now);
      return { id, kind: eventTypes[type], type, objectId: related_object?.id };
    },
  };
}

type Notification = { id: string; type: string; related_object?: { id: string } | null };

function notification(
  stripe: Stripe,
  body: Uint8Array,
  signature: string | undefined,
  secret: string,
  now: number,
): Notification {
  try {
    return stripe.parseEventNotification(
      body,
      signature ?? "",
      secret,
      toleranceSeconds,
      undefined,
      now,
    ) as Notification;
  } catch (error) {
    // Stripe's own error stays out, since it contains the body and the header.
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
      throw new Refusal("credential_invalid", "The signature is missing, not the payment provider's, or too old.");
    }
    throw new Refusal("invalid_request", "The body is no event of the payment provider.");
  }
}
