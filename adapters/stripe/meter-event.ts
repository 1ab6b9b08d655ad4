// Tells a meter of Stripe's v2 API what a workspace's month comes to so far.
import type Stripe from "stripe";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call } from "./client.ts";
import { usdText } from "./conversion.ts";
import type { Slots } from "./slots.ts";

export function meterEventSender(stripe: Stripe, slots: Slots): PaymentProvider["report"] {
  return async ({ customerId, slot, at, value }) => {
    const { eventName } = await slots.get(slot);
    await call("v2.billing.meterEvents.create", () =>
      stripe.v2.billing.meterEvents.create({
        event_name: eventName,
        timestamp: new Date(at).toISOString(),
        payload: { stripe_customer_id: customerId, value: usdText(value) },
      }),
    );
  };
}
