// Cards and setup intents: a card is attached to a customer, and detached for good.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import { listOf } from "./lists.ts";
import type { PaymentMethod, SetupIntent } from "./objects.ts";
import { page } from "./parameters.ts";
import { invalidRequest, missing, StripeRefusal } from "./refusal.ts";
import { fingerprintOf, testCards, testMethods } from "./test-cards.ts";

const attach = z.strictObject({ customer: z.string() });

export const paymentMethods = [
  endpoint(["GET", "/v1/payment_methods/:id"], "paymentMethods.retrieve", z.strictObject({}), (_, { account, path }) =>
    methodById(account, path.id),
  ),
  endpoint(
    ["GET", "/v1/customers/:id/payment_methods"],
    "customers.listPaymentMethods",
    z.strictObject(page),
    (page, { account, path }) => {
      const { id } = account.customer(path.id ?? "");
      return listOf(`/v1/customers/${id}/payment_methods`, attachedTo(account, id), page);
    },
  ),
  endpoint(
    ["POST", "/v1/payment_methods/:id/attach"],
    "paymentMethods.attach",
    attach,
    ({ customer }, { account, path }) => {
      account.customer(customer, "customer", 400);
      const number = testMethods[path.id ?? ""];
      if (number === undefined) throw missing("PaymentMethod", path.id ?? "");
      return attachCard(account, customer, { number, month: 12, year: 2034 });
    },
  ),
  // A detached method cannot be used again (docs.stripe.com/api/payment_methods/detach).
  endpoint(
    ["POST", "/v1/payment_methods/:id/detach"],
    "paymentMethods.detach",
    z.strictObject({}),
    (_, { account, path }) => detach(account, methodById(account, path.id)),
  ),
  endpoint(["GET", "/v1/setup_intents/:id"], "setupIntents.retrieve", z.strictObject({}), (_, { account, path }) => {
    const intent = account.setupIntents.get(path.id ?? "");
    if (!intent) throw missing("setupintent", path.id ?? "");
    return intent;
  }),
];

export type CardInput = {
  number: string;
  month: number;
  year: number;
  name?: string;
  country?: string | null;
  postal_code?: string | null;
};

/** @throws StripeRefusal for a number that is no test card, or a card that declines */
export function attachCard(account: Account, customer: string, input: CardInput): PaymentMethod {
  const method = newCard(account, customer, input);
  account.paymentMethods.put(method.id, method);
  account.emit("payment_method.attached", method);
  return method;
}

/** A detached method is nobody's default. The `changes` of the thin event name the customer that the method belonged to. */
export function detach(account: Account, method: PaymentMethod): PaymentMethod {
  const customer = method.customer === null ? undefined : account.customers.get(String(method.customer))?.customer;
  if (!customer)
    throw invalidRequest("The payment method you provided is not attached to a customer so detachment is impossible.");
  const detached = { ...method, customer: null };
  account.paymentMethods.put(method.id, detached);
  const { invoice_settings } = customer;
  if (invoice_settings.default_payment_method === method.id) {
    account.putCustomer({ ...customer, invoice_settings: { ...invoice_settings, default_payment_method: null } });
  }
  account.emit("payment_method.detached", detached, { changes: { before: { customer: customer.id } } });
  return detached;
}

/** Newest last. */
export function attachedTo(account: Account, customer: string): PaymentMethod[] {
  return account.paymentMethods.all().filter((one) => one.customer === customer);
}

export function newSetupIntent(account: Account, customer: string): SetupIntent {
  const intent = {
    id: newId("seti"),
    object: "setup_intent",
    created: account.now(),
    customer,
    livemode: false,
    metadata: {},
    payment_method: null,
    payment_method_types: ["card"],
    status: "requires_payment_method",
    usage: "off_session",
  } as unknown as SetupIntent;
  account.setupIntents.put(intent.id, intent);
  return intent;
}

function methodById(account: Account, id = ""): PaymentMethod {
  const method = account.paymentMethods.get(id);
  if (!method) throw missing("PaymentMethod", id);
  return method;
}

function newCard(account: Account, customer: string, input: CardInput): PaymentMethod {
  const { number, month, year, name, country = null, postal_code = null } = input;
  const card = testCards[number];
  if (!card) {
    const message = "Your card was declined. Your request was in test mode, but used a non test card.";
    throw new StripeRefusal(402, "card_error", message, { code: "card_declined", decline_code: "live_mode_test_card" });
  }
  if (card.declinesSetup) {
    const members = { code: "card_declined", decline_code: "generic_decline" };
    throw new StripeRefusal(402, "card_error", "Your card was declined.", members);
  }
  const address = { city: null, country, line1: null, line2: null, postal_code, state: null };
  return {
    id: newId("pm"),
    object: "payment_method",
    billing_details: { address, name: name ?? null },
    card: {
      brand: card.brand,
      country: "US",
      exp_month: month,
      exp_year: year,
      fingerprint: fingerprintOf(number),
      last4: number.slice(-4),
    },
    created: account.now(),
    customer,
    livemode: false,
    metadata: {},
    type: "card",
  } as PaymentMethod;
}
