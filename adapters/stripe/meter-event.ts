// Sends an hour's usage as a meter event of Stripe's v2 API.
import type Stripe from "stripe";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call, isRefused } from "./client.ts";
import type { Slots } from "./slots.ts";

/** Largest value of an event (docs.stripe.com/changelog/dahlia/2026-04-22). */
const maxValue = 999_999_999_999_999;
/** Stripe publishes no code for a known identifier; public tests quote this message (github.com/langfuse/langfuse/pull/16292). */
const knownIdentifier = /^An event already exists with identifier/;

export function meterEventSender(stripe: Stripe, slots: Slots): PaymentProvider["report"] {
  return async ({ customerId, slot, identifier, at, value }) => {
    if (!Number.isInteger(value) || Math.abs(value) > maxValue) {
      throw new RangeError(`not a whole number of at most 15 digits: ${value}`);
    }
    const { eventName } = await slots.get(slot);
    return call("v2.billing.meterEvents.create", async () => {
      try {
        await stripe.v2.billing.meterEvents.create({
          event_name: eventName,
          identifier,
          timestamp: new Date(at).toISOString(),
          payload: { stripe_customer_id: customerId, value: String(value) },
        });
        return "taken";
      } catch (error) {
        if (knownIdentifier.test((error as Error).message)) return "taken";
        if (isRefused(error, "timestamp_too_far_in_past")) return "too_old";
        throw error;
      }
    });
  };
}
