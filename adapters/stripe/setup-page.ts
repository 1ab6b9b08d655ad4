// The page on which an owner adds a payment method: Checkout in setup mode, which also asks for what an invoice has to name of a company.
import type Stripe from "stripe";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call, isRefusedParameter } from "./client.ts";

/**
 * Checkout saves the tax id and the company's name on the customer, for which `customer_update.name` must be `auto`
 * (docs.stripe.com/tax/checkout/tax-ids, "Existing customers"). That page shows payments and subscriptions only; others send it in
 * setup mode (github.com/laravel/cashier-stripe/issues/1581). If Stripe refuses it, the page opens without it, and the portal asks.
 */
const ofCompany = {
  billing_address_collection: "required",
  customer_update: { address: "auto", name: "auto" },
} as const;
const taxId = { tax_id_collection: { enabled: true } };

export function setupPageOpener(stripe: Stripe): PaymentProvider["setupPage"] {
  return ({ customerId, successUrl, cancelUrl }) => {
    const asked = {
      mode: "setup",
      currency: "usd",
      customer: customerId,
      success_url: successUrl,
      cancel_url: cancelUrl,
      ...ofCompany,
    } as const;
    return call("checkout.sessions.create", async () => {
      const { id, url } = await stripe.checkout.sessions.create({ ...asked, ...taxId }).catch((error: unknown) => {
        if (!isRefusedParameter(error, "tax_id_collection")) throw error;
        return stripe.checkout.sessions.create(asked);
      });
      return { id, url: url ?? "" };
    });
  };
}
