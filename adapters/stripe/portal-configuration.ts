// The portal's configuration that `npm run stripe:setup` creates. Its metadata distinguishes it from others.
import type Stripe from "stripe";
import { call } from "./client.ts";

export const portalMetadata = { archway: "portal" };

/** Undefined if the account is not set up; Stripe then uses the default of its dashboard. */
export async function portalConfiguration(stripe: Stripe): Promise<Stripe.BillingPortal.Configuration | undefined> {
  const configurations = await call("billingPortal.configurations.list", () =>
    stripe.billingPortal.configurations.list({ active: true, limit: 100 }).autoPagingToArray({ limit: 1_000 }),
  );
  return configurations.find(({ metadata }) => metadata?.archway === portalMetadata.archway);
}
