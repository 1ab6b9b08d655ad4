// The page on which an owner adds a payment method: Checkout in setup mode, which also asks for what an invoice has to name of a company.
import type Stripe from "stripe";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call, isRefusedParameter } from "./client.ts";

/**
 * Checkout saves the tax id and the company's name on the customer, for which `customer_update.name` must be `auto`
 * (docs.stripe.com/tax/checkout/tax-ids, "Existing customers"). That page shows payments and subscriptions only; others send it in
 * setup mode (github.com/laravel/cashier-stripe/issues/1581). If Stripe refuses a part, the page opens without it, and the portal asks.
 */
const kept = { customer_update: { address: "auto", name: "auto" } } as const;
const taxId = { tax_id_collection: { enabled: true } };
/** The options of Checkout, all of them first: what Stripe refuses is asked for once more with fewer. */
const asks = [{ ...kept, ...taxId }, kept, {}];

export function setupPageOpener(stripe: Stripe): PaymentProvider["setupPage"] {
  return ({ customerId, successUrl, cancelUrl }) => {
    const asked = {
      mode: "setup",
      currency: "usd",
      customer: customerId,
      success_url: successUrl,
      cancel_url: cancelUrl,
      billing_address_collection: "required",
    } as const;
    return call("checkout.sessions.create", async () => {
      for (const more of asks) {
        try {
          return (await stripe.checkout.sessions.create({ ...asked, ...more })).url ?? "";
        } catch (error) {
          if (!Object.keys(more).some((name) => isRefusedParameter(error, name))) throw error;
        }
      }
      throw new Error("the least that Checkout was asked for was refused for something else");
    });
  };
}
