// Checkout Sessions in setup mode: a hosted page on which a person adds a card.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import type { CheckoutSession, Customer } from "./objects.ts";
import { bool } from "./parameters.ts";
import { attachCard, type CardInput, newSetupIntent } from "./payment-methods.ts";
import { invalidRequest, missing, StripeRefusal } from "./refusal.ts";

/** docs.stripe.com/api/checkout/sessions/create, expires_at. */
const lifetimeSeconds = 86_400;

const create = z.strictObject({
  mode: z.literal("setup", "The local stack has Checkout in setup mode only."),
  customer: z.string(),
  currency: z.string().length(3),
  success_url: z.url(),
  cancel_url: z.url().optional(),
  billing_address_collection: z.enum(["auto", "required"]).optional(),
  customer_update: z
    .strictObject({ address: z.enum(["auto", "never"]).optional(), name: z.enum(["auto", "never"]).optional() })
    .optional(),
  tax_id_collection: z.strictObject({ enabled: bool }).optional(),
});

export const checkout = [
  endpoint(["POST", "/v1/checkout/sessions"], "checkout.sessions.create", create, (given, { account }) => {
    account.customer(given.customer, "customer", 400);
    const session = newSession(account, given);
    if (given.tax_id_collection && !account.settings.setup_takes_tax_id) {
      throw invalidRequest("You cannot collect tax ids in `setup` mode.", { param: "tax_id_collection" });
    }
    // The words are Stripe's (github.com/invertase/stripe-firebase-extensions/issues/222).
    if (given.tax_id_collection?.enabled && given.customer_update?.name !== "auto") {
      throw invalidRequest(
        "Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.",
        { param: "customer_update" },
      );
    }
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
    (_, { account, path }) => expireSession(account, sessionById(account, path.id)),
  ),
];

export function expireSession(account: Account, session: CheckoutSession): CheckoutSession {
  const expired = account.putCheckoutSession({ ...session, status: "expired", url: null });
  account.emit("checkout.session.expired", expired);
  return expired;
}

/** @throws StripeRefusal */
export function sessionById(account: Account, id = ""): CheckoutSession {
  const session = account.checkoutSessions.get(id);
  if (!session) throw missing("checkout.session", id);
  return session;
}

/**
 * Attaches the card and completes the session. The card becomes no default, and pays no open invoice.
 * @throws StripeRefusal for a card that is declined; the session stays open
 */
export function completeSession(
  account: Account,
  session: CheckoutSession,
  card: CardInput,
  company = { name: "", taxId: "" },
): CheckoutSession {
  if (session.status !== "open") throw invalidRequest("This Checkout Session is no longer open.");
  const intent = account.setupIntents.get(String(session.setup_intent));
  const customer = String(session.customer);
  if (!intent) throw missing("setupintent", String(session.setup_intent));
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
  if (session.tax_id_collection?.enabled) keepCompany(account, customer, company);
  const complete = account.putCheckoutSession({ ...session, status: "complete", url: null });
  account.emit("checkout.session.completed", complete);
  return complete;
}

/**
 * For each session, whether Checkout copies the address to the customer; the session does not show it
 * (docs.stripe.com/api/checkout/sessions/create, customer_update).
 */
function keptUpdates({ store }: Account) {
  return store.collection<{ address: boolean }>("stripe-checkout-update");
}

function keepAddress(account: Account, id: string, { country = null, postal_code = null }: Partial<CardInput>): void {
  const customer = account.customer(id);
  const empty = { city: null, line1: null, line2: null, state: null };
  account.putCustomer({ ...customer, address: { ...empty, country, postal_code } });
}

/** The business name becomes the customer's name, and the tax id one of the customer's (docs.stripe.com/tax/checkout/tax-ids). */
function keepCompany(account: Account, id: string, { name, taxId }: { name: string; taxId: string }): void {
  const customer = account.customer(id);
  const taxIds = { object: "list", data: [{ id: newId("txi"), object: "tax_id", type: "eu_vat", value: taxId }] };
  const tax_ids = taxId === "" ? customer.tax_ids : (taxIds as unknown as Customer["tax_ids"]);
  account.putCustomer({ ...customer, name: name || (customer.name ?? null), ...(tax_ids && { tax_ids }) });
}

function newSession(account: Account, given: z.output<typeof create>): CheckoutSession {
  const id = newId("cs_test");
  return {
    id,
    object: "checkout.session",
    billing_address_collection: given.billing_address_collection ?? null,
    cancel_url: given.cancel_url ?? null,
    created: account.now(),
    currency: given.currency,
    customer: given.customer,
    expires_at: account.now() + lifetimeSeconds,
    livemode: false,
    metadata: {},
    mode: "setup",
    payment_status: "no_payment_required",
    setup_intent: newSetupIntent(account, given.customer).id,
    status: "open",
    success_url: given.success_url,
    ...(given.tax_id_collection && { tax_id_collection: { ...given.tax_id_collection, required: "never" } }),
    url: `${account.pagesUrl}/c/pay/${id}`,
  } as CheckoutSession;
}
