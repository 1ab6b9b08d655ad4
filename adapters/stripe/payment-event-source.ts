// Stripe's thin events: verifies the signature of a delivery, and reads the facts that only the event has.
import Stripe from "stripe";
import type { PaymentEventDetails, PaymentEventSource } from "../../domain/billing/payment-event.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { call, type StripeOptions, stripeClient } from "./client.ts";
import { idOf } from "./conversion.ts";

/** docs.stripe.com/webhooks/signature: the library's own default. */
const toleranceSeconds = 300;

/** @param signingSecret of the destination, `whsec_...` */
export function stripeEventSource(options: StripeOptions & { signingSecret: string }): PaymentEventSource {
  const stripe = stripeClient(options);
  return {
    verified: (body, signature, now) => {
      const { id, type, related_object } = notification(stripe, body, signature, options.signingSecret, now);
      return { id, type, objectId: related_object?.id };
    },
    details: async (eventId) =>
      detailsOf(await call("v2.core.events.retrieve", () => stripe.v2.core.events.retrieve(eventId))),
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

function detailsOf(event: Stripe.V2.Core.Event): PaymentEventDetails {
  const before = (event.changes as { before?: { customer?: string | { id: string } } } | undefined)?.before;
  return { previousCustomerId: idOf(before?.customer) };
}
