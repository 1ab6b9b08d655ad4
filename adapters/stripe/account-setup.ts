// Sets up a Stripe account before the first workspace: product, meters, prices, portal and webhook. Objects that exist are kept.
import Stripe from "stripe";
import type { WebhookSecretStore } from "../../domain/billing/webhook-secret.ts";
import { type StripeOptions, stripeClient, undefinedIfMissing } from "./client.ts";
import { unitAmount } from "./conversion.ts";
import { eventTypes } from "./payment-event-source.ts";
import { portalConfiguration, portalMetadata } from "./portal-configuration.ts";
import { slotName } from "./slots.ts";

export type AccountSetup = {
  /** How many workspaces an owner may have: each needs a meter and a price of its own. */
  slots: number;
  /** Address of the control plane's webhook, e.g. `https://api.example.com/v1/webhooks/stripe`. */
  webhookUrl: string;
  secrets: WebhookSecretStore;
  /** Makes the webhook's destination anew: no API tells that its secret was rolled in the dashboard, and the kept one is not its any more. */
  isWebhookReplaced?: boolean | undefined;
};

/** An object that the set-up needs, and whether it was created, changed or found. */
export type AccountSetupStep = { what: string; id: string; outcome: "made" | "changed" | "there" };

/** An object with the wanted name exists, is a different one, and Stripe lets nobody change it. */
export class SetupConflict extends Error {}

type Destination = Stripe.V2.Core.EventDestination;

const productId = "archway_usage";
const destinationName = "Archway";
const enabledEvents = Object.keys(eventTypes);

/**
 * Sets up the account. May be repeated.
 * @throws SetupConflict, or Stripe's own error, since the account's owner runs this by hand and reads it
 */
export async function setUpAccount(options: StripeOptions, setup: AccountSetup): Promise<AccountSetupStep[]> {
  const stripe = stripeClient(options);
  // The secret's store is read first, so that a store that fails stops the set-up before Stripe shows a secret.
  const kept = await setup.secrets.get();
  const steps = [await product(stripe)];
  for (let slot = 1; slot <= setup.slots; slot += 1) {
    const meterStep = await meter(stripe, slotName(slot));
    steps.push(meterStep, await price(stripe, slotName(slot), meterStep.id));
  }
  steps.push(await portal(stripe));
  steps.push(await webhook(stripe, setup, setup.isWebhookReplaced ? undefined : kept?.destinationId));
  return steps;
}

async function product(stripe: Stripe): Promise<AccountSetupStep> {
  const what = "product";
  const there = await stripe.products.retrieve(productId).catch(undefinedIfMissing);
  if (there) return { what, id: there.id, outcome: "there" };
  const { id } = await stripe.products.create({ id: productId, name: "Model usage" });
  return { what, id, outcome: "made" };
}

async function meter(stripe: Stripe, name: string): Promise<AccountSetupStep> {
  const what = `meter ${name}`;
  for await (const one of stripe.billing.meters.list({ status: "active", limit: 100 })) {
    if (one.event_name !== name) continue;
    if (one.default_aggregation.formula !== "last") {
      throw new SetupConflict(`The meter ${one.id} of ${name} does not keep the last value: deactivate it.`);
    }
    return { what, id: one.id, outcome: "there" };
  }
  const { id } = await stripe.billing.meters.create({
    display_name: `Model usage, workspace ${name.replace("usage_usd_", "")}`,
    event_name: name,
    // Each value is the month's total so far, so that the latest one is right whatever came before it.
    default_aggregation: { formula: "last" },
    customer_mapping: { type: "by_id", event_payload_key: "stripe_customer_id" },
    value_settings: { event_payload_key: "value" },
  });
  return { what, id, outcome: "made" };
}

async function price(stripe: Stripe, name: string, meterId: string): Promise<AccountSetupStep> {
  const what = `price ${name}`;
  const { data } = await stripe.prices.list({ lookup_keys: [name], active: true, limit: 1 });
  const [there] = data;
  if (there) {
    const { recurring, currency, unit_amount_decimal } = there;
    const same = recurring?.meter === meterId && recurring.interval === "month" && currency === "usd";
    if (!same || String(unit_amount_decimal) !== unitAmount) {
      throw new SetupConflict(
        `The price ${there.id} of ${name} is not ${unitAmount} cents a unit of its meter: archive it.`,
      );
    }
    return { what, id: there.id, outcome: "there" };
  }
  const { id } = await stripe.prices.create({
    product: productId,
    currency: "usd",
    unit_amount_decimal: Stripe.Decimal.from(unitAmount),
    recurring: { interval: "month", usage_type: "metered", meter: meterId },
    lookup_key: name,
    // An archived price keeps its key until another one takes it.
    transfer_lookup_key: true,
    // Automatic tax needs `tax_behavior`, which Stripe lets nobody change later.
    tax_behavior: "exclusive",
  });
  return { what, id, outcome: "made" };
}

/** The portal offers payment methods and invoices. A workspace is ended in the product and never in the portal. */
const features = {
  payment_method_update: { enabled: true },
  invoice_history: { enabled: true },
  customer_update: { enabled: true, allowed_updates: ["address", "name", "tax_id"] },
  subscription_cancel: { enabled: false },
  subscription_update: { enabled: false },
} satisfies Stripe.BillingPortal.ConfigurationCreateParams.Features;

/** The stacks of an account share it, so it has no address to return to: each session brings its own. */
async function portal(stripe: Stripe): Promise<AccountSetupStep> {
  const what = "portal";
  const there = await portalConfiguration(stripe);
  if (!there) {
    const { id } = await stripe.billingPortal.configurations.create({ features, metadata: portalMetadata });
    return { what, id, outcome: "made" };
  }
  if (isAsWanted(there)) return { what, id: there.id, outcome: "there" };
  await stripe.billingPortal.configurations.update(there.id, { features });
  return { what, id: there.id, outcome: "changed" };
}

function isAsWanted(there: Stripe.BillingPortal.Configuration): boolean {
  const names = Object.keys(features) as (keyof typeof features)[];
  const enabled = names.every((name) => there.features[name].enabled === features[name].enabled);
  const updates = [...there.features.customer_update.allowed_updates].sort().join();
  return enabled && updates === features.customer_update.allowed_updates.join();
}

/** A destination whose secret is not in the store is replaced, since Stripe shows a secret only once. */
async function webhook(
  stripe: Stripe,
  { webhookUrl, secrets }: AccountSetup,
  keptDestination: string | undefined,
): Promise<AccountSetupStep> {
  const what = "webhook";
  const all = await destinationsAt(stripe, webhookUrl);
  const there = all.find(({ id }) => id === keptDestination);
  await remove(stripe, there ? all.filter((one) => one !== there) : []);
  if (there) {
    if (there.enabled_events.toSorted().join() === enabledEvents.toSorted().join()) {
      return { what, id: there.id, outcome: "there" };
    }
    await stripe.v2.core.eventDestinations.update(there.id, { enabled_events: enabledEvents });
    return { what, id: there.id, outcome: "changed" };
  }
  const made = await stripe.v2.core.eventDestinations.create({
    name: destinationName,
    type: "webhook_endpoint",
    event_payload: "thin",
    enabled_events: enabledEvents,
    webhook_endpoint: { url: webhookUrl },
    include: ["webhook_endpoint.signing_secret"],
  });
  await keep(stripe, made, secrets);
  // The old destinations are deleted last: Stripe repeats their events until the new secret is stored.
  await remove(stripe, all);
  return { what, id: made.id, outcome: "made" };
}

async function destinationsAt(stripe: Stripe, url: string): Promise<Destination[]> {
  const all: Destination[] = [];
  for await (const one of stripe.v2.core.eventDestinations.list({ include: ["webhook_endpoint.url"] })) {
    if (one.webhook_endpoint?.url === url) all.push(one);
  }
  return all;
}

async function remove(stripe: Stripe, destinations: Destination[]): Promise<void> {
  for (const { id } of destinations) await stripe.v2.core.eventDestinations.del(id);
}

/** Stores the destination's secret. If that fails, nobody can read the secret again, so the destination is deleted. */
async function keep(stripe: Stripe, made: Destination, secrets: WebhookSecretStore): Promise<void> {
  const signingSecret = made.webhook_endpoint?.signing_secret;
  try {
    if (!signingSecret) throw new Error("Stripe made a webhook destination and did not show its secret.");
    await secrets.put({ destinationId: made.id, signingSecret });
  } catch (error) {
    await stripe.v2.core.eventDestinations.del(made.id);
    throw error;
  }
}
