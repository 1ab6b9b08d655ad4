// Checks what an operator sets in Stripe's dashboard, as far as an API shows it.
import type Stripe from "stripe";
import { type StripeOptions, stripeClient } from "./client.ts";

/** A setting, whether it is as it should be, and where the dashboard has it. */
export type AccountCheck = { what: string; isRight: boolean; where: string };

/** @throws Stripe's own error, since the account's owner runs this by hand and reads it */
export async function checkAccount(options: StripeOptions, { isTaxed }: { isTaxed: boolean }): Promise<AccountCheck[]> {
  const stripe = stripeClient(options);
  const account = await stripe.accounts.retrieveCurrent();
  const { business_profile: profile, charges_enabled } = account;
  return [
    { what: "the account may charge cards", isRight: charges_enabled, where: "Home" },
    { what: "a name that customers read on invoices", isRight: isGiven(profile?.name), where: "Settings > Business" },
    {
      what: "an address for questions, which invoices and receipts show",
      isRight: isGiven(profile?.support_email),
      where: "Settings > Business > Public details",
    },
    ...(isTaxed ? await taxChecks(stripe) : []),
  ];
}

async function taxChecks(stripe: Stripe): Promise<AccountCheck[]> {
  const [settings, registrations] = await Promise.all([
    stripe.tax.settings.retrieve(),
    stripe.tax.registrations.list({ status: "active", limit: 1 }),
  ]);
  return [
    { what: "Stripe Tax has what it needs", isRight: settings.status === "active", where: "Tax > Settings" },
    { what: "a place where tax is collected", isRight: registrations.data.length > 0, where: "Tax > Registrations" },
  ];
}

function isGiven(text: string | null | undefined): boolean {
  return typeof text === "string" && text !== "";
}
