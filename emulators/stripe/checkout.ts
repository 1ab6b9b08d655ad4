// Checkout Sessions in setup mode: a hosted page on which a person adds a card.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint, nothing, retrieval } from "./endpoint.ts";
import { type CheckoutSession, type Customer, newId } from "./objects.ts";
import { bool } from "./parameters.ts";
import { attachCard, type CardInput, newSetupIntent } from "./payment-methods.ts";
import { invalidRequest, known } from "./refusal.ts";

/** docs.stripe.com/api/checkout/sessions/create, expires_at. */
const lifetimeSeconds = 86_400;

const update = z.enum(["auto", "never"]).optional();

const create = z.strictObject({
  mode: z.literal("setup", "The local stack has Checkout in setup mode only."),
  customer: z.string(),
  currency: z.string().length(3),
  success_url: z.url(),
  cancel_url: z.url().optional(),
  billing_address_collection: z.enum(["auto", "required"]).optional(),
  customer_update: z.strictObject({ address: update, name: update }).optional(),
  tax_id_collection: z.strictObject({ enabled: bool }).optional(),
});

export const checkout = [
  endpoint(
    ["POST", "/v1/checkout/sessions"],
    "checkout.sessions.create",
    create,
    ({ customer_update, ...given }, { account }) => {
      account.customer(given.customer, "customer", 400);
      if (given.tax_id_collection && !account.settings.setup_takes_tax_id) {
        throw invalidRequest("You cannot collect tax ids in `setup` mode.", { param: "tax_id_collection" });
      }
      if (customer_update && !account.settings.setup_updates_customer) {
        throw invalidRequest("`customer_update` cannot be used in `setup` mode.", { param: "customer_update" });
      }
      // The words are Stripe's (github.com/invertase/stripe-firebase-extensions/issues/222).
      if (given.tax_id_collection?.enabled && customer_update?.name !== "auto") {
        throw invalidRequest(
          "Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.",
          { param: "customer_update" },
        );
      }
      const id = newId("cs_test");
      addressKept(account).put(id, customer_update?.address === "auto");
      return account.putCheckoutSession({
        ...{ id, object: "checkout.session", ...given },
        expires_at: account.now() + lifetimeSeconds,
        setup_intent: newSetupIntent(account, given.customer).id,
        status: "open",
        url: `${account.pagesUrl}/c/pay/${id}`,
      } as CheckoutSession);
    },
  ),
  retrieval("/v1/checkout/sessions", "checkout.sessions", "checkout.session", (account, id) =>
    account.checkoutSessions.get(id),
  ),
  endpoint(["POST", "/v1/checkout/sessions/:id/expire"], "checkout.sessions.expire", nothing, (_, { account, path }) =>
    expireSession(account, sessionById(account, path.id)),
  ),
];

export function expireSession(account: Account, session: CheckoutSession): CheckoutSession {
  return account.putCheckoutSession({ ...session, status: "expired", url: null });
}

/** @throws StripeRefusal */
export function sessionById(account: Account, id = ""): CheckoutSession {
  return known(account.checkoutSessions.get(id), "checkout.session", id);
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
  const id = String(session.customer);
  const intent = known(account.setupIntents.get(String(session.setup_intent)), "setupintent");
  account.setupIntents.put(intent.id, { ...intent, payment_method: attachCard(account, id, card).id });
  const customer = account.customer(id);
  account.putCustomer({
    ...customer,
    ...(addressKept(account).get(session.id) && card.address.country && { address: card.address }),
    ...(session.tax_id_collection?.enabled && companyOf(customer, company)),
  } as Customer);
  const complete = account.putCheckoutSession({ ...session, status: "complete", url: null });
  account.emit("checkout.session.completed", complete);
  return complete;
}

/**
 * For each session, whether Checkout copies the address to the customer; the session does not show it
 * (docs.stripe.com/api/checkout/sessions/create, customer_update).
 */
function addressKept({ store }: Account) {
  return store.collection<boolean>("stripe-checkout-address");
}

/** The business name becomes the customer's name, and the tax id one of the customer's (docs.stripe.com/tax/checkout/tax-ids). */
function companyOf(customer: Customer, { name, taxId }: { name: string; taxId: string }): object {
  const tax_ids = { data: [{ type: "eu_vat", value: taxId }] };
  return { name: name || customer.name, ...(taxId !== "" && { tax_ids }) };
}
