// Checkout Sessions in setup mode: a hosted page on which a person adds a card.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import type { CheckoutSession } from "./objects.ts";
import { metadata } from "./parameters.ts";
import { attachCard, type CardInput, newSetupIntent } from "./payment-methods.ts";
import { invalidParameter, invalidRequest, missing, StripeRefusal } from "./refusal.ts";

/** docs.stripe.com/api/checkout/sessions/create, expires_at. */
const lifetimeSeconds = 86_400;

const create = z.strictObject({
  mode: z.literal("setup", "The local stack has Checkout in setup mode only."),
  customer: z.string().optional(),
  currency: z.string().length(3).optional(),
  allowed_payment_method_types: z.array(z.string()).optional(),
  success_url: z.url(),
  cancel_url: z.url().optional(),
  billing_address_collection: z.enum(["auto", "required"]).optional(),
  customer_update: z
    .strictObject({ address: z.enum(["auto", "never"]).optional(), name: z.enum(["auto", "never"]).optional() })
    .optional(),
  client_reference_id: z.string().max(200).optional(),
  metadata: metadata.optional(),
});

export const checkout = [
  endpoint(["POST", "/v1/checkout/sessions"], "checkout.sessions.create", create, (given, { account }) => {
    // In setup mode one of the two is needed (docs.stripe.com/api/checkout/sessions/create, currency).
    if (!given.currency && !given.allowed_payment_method_types) {
      throw invalidParameter("parameter_missing", "Missing required param: currency.", "currency");
    }
    if (given.customer) account.customer(given.customer, "customer", 400);
    else if (given.customer_update) throw invalidRequest("`customer_update` can only be used with `customer`.");
    const session = newSession(account, given);
    keptUpdates(account).put(session.id, { address: given.customer_update?.address === "auto" });
    return account.putCheckoutSession(session);
  }),
  endpoint(
    ["GET", "/v1/checkout/sessions/:id"],
    "checkout.sessions.retrieve",
    z.strictObject({}),
    (_, { account, path }) => sessionById(account, path.id),
  ),
  endpoint(
    ["POST", "/v1/checkout/sessions/:id/expire"],
    "checkout.sessions.expire",
    z.strictObject({}),
    (_, { account, path }) => {
      const session = sessionById(account, path.id);
      if (session.status !== "open")
        throw invalidRequest('Only Checkout Sessions with a status in ["open"] can be expired.');
      const expired = account.putCheckoutSession({ ...session, status: "expired", url: null });
      account.emit("checkout.session.expired", expired);
      return expired;
    },
  ),
];

/** @throws StripeRefusal */
export function sessionById(account: Account, id = ""): CheckoutSession {
  const session = account.checkoutSessions.get(id);
  if (!session) throw missing("checkout.session", id);
  return session;
}

/**
 * What the page's button does. The card becomes no default, and pays nothing that is open.
 * @throws StripeRefusal for a card that is declined; the session stays open
 */
export function completeSession(account: Account, session: CheckoutSession, card: CardInput): CheckoutSession {
  if (session.status !== "open") throw invalidRequest("This Checkout Session is no longer open.");
  const intent = account.setupIntents.get(String(session.setup_intent));
  const customer = session.customer === null ? undefined : String(session.customer);
  if (!intent || !customer) throw invalidRequest("The local stack sets up payment for a given customer only.");
  try {
    const method = attachCard(account, customer, card);
    const succeeded = { ...intent, payment_method: method.id, status: "succeeded" as const };
    account.setupIntents.put(intent.id, succeeded);
    account.emit("setup_intent.succeeded", succeeded);
  } catch (error) {
    if (error instanceof StripeRefusal) account.emit("setup_intent.setup_failed", intent);
    throw error;
  }
  if (card.country && keptUpdates(account).get(session.id)?.address) keepAddress(account, customer, card);
  const complete = account.putCheckoutSession({ ...session, status: "complete", url: null });
  account.emit("checkout.session.completed", complete);
  return complete;
}

/** What of the page goes to the customer; the session itself does not show it (docs.stripe.com/api/checkout/sessions/create, customer_update). */
function keptUpdates({ store }: Account) {
  return store.collection<{ address: boolean }>("stripe-checkout-update");
}

function keepAddress(account: Account, id: string, { country = null, postal_code = null }: Partial<CardInput>): void {
  const customer = account.customer(id);
  const empty = { city: null, line1: null, line2: null, state: null };
  account.putCustomer({ ...customer, address: { ...empty, country, postal_code } });
}

function newSession(account: Account, given: z.output<typeof create>): CheckoutSession {
  const id = newId("cs_test");
  const customer = given.customer ?? null;
  return {
    id,
    object: "checkout.session",
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: given.allowed_payment_method_types ?? null,
    amount_subtotal: null,
    amount_total: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: given.billing_address_collection ?? null,
    cancel_url: given.cancel_url ?? null,
    client_reference_id: given.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: account.now(),
    currency: given.currency ?? null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer,
    customer_account: null,
    customer_creation: null,
    customer_details: null,
    customer_email: null,
    discounts: null,
    expires_at: account.now() + lifetimeSeconds,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: given.metadata ?? {},
    mode: "setup",
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: "always",
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ["card"],
    payment_status: "no_payment_required",
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: newSetupIntent(account, customer).id,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: "open",
    submit_type: null,
    subscription: null,
    success_url: given.success_url,
    total_details: null,
    ui_mode: "hosted_page",
    url: `${account.pagesUrl}/c/pay/${id}`,
    wallet_options: null,
  } satisfies CheckoutSession;
}
