// The portal's configuration that `npm run stripe:setup` makes, told from others by its metadata.
import type Stripe from "stripe";
import { call } from "./client.ts";

export const portalMetadata = { archway: "portal" };

/** None if the account was not set up; Stripe then takes the dashboard's own default. */
export async function portalConfiguration(stripe: Stripe): Promise<Stripe.BillingPortal.Configuration | undefined> {
  const configurations = await call("billingPortal.configurations.list", () =>
    stripe.billingPortal.configurations.list({ active: true, limit: 100 }).autoPagingToArray({ limit: 1_000 }),
  );
  return configurations.find(({ metadata }) => metadata?.archway === portalMetadata.archway);
}
