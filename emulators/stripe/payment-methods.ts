// Cards, bank debits and setup intents: a method is attached to a customer, and detached for good.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint, listOf, nothing, page, retrieval } from "./endpoint.ts";
import { newId, type PaymentMethod, type SetupIntent } from "./objects.ts";
import { invalidRequest, known, StripeRefusal } from "./refusal.ts";
import { fingerprintOf, testAccounts, testCards, testMethods } from "./test-cards.ts";

export const paymentMethods = [
  retrieval("/v1/payment_methods", "paymentMethods", "PaymentMethod", (account, id) => account.paymentMethods.get(id)),
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
    z.strictObject({ customer: z.string() }),
    ({ customer }, { account, path }) => {
      account.customer(customer, "customer", 400);
      const number = known(testMethods[path.id ?? ""], "PaymentMethod", path.id);
      return attachCard(account, customer, { number, name: null, address: noAddress });
    },
  ),
  // A detached method cannot be used again (docs.stripe.com/api/payment_methods/detach).
  endpoint(
    ["POST", "/v1/payment_methods/:id/detach"],
    "paymentMethods.detach",
    nothing,
    (_, { account, path: { id = "" } }) => detach(account, known(account.paymentMethods.get(id), "PaymentMethod", id)),
  ),
  retrieval("/v1/setup_intents", "setupIntents", "setupintent", (account, id) => account.setupIntents.get(id)),
];

type Address = NonNullable<PaymentMethod["billing_details"]["address"]>;
export type CardInput = { number: string; name: string | null; address: Address };

export const noAddress: Address = {
  ...{ city: null, country: null, line1: null, line2: null },
  ...{ postal_code: null, state: null },
};

/** @throws StripeRefusal for a number that is no test card, or a card that declines */
export function attachCard(account: Account, customer: string, input: CardInput): PaymentMethod {
  const method = input.number in testAccounts ? newDebit(account, customer, input) : newCard(account, customer, input);
  account.paymentMethods.put(method.id, method);
  account.emit("payment_method.attached", method);
  return method;
}

/** A detached method is nobody's default. The `changes` of the thin event name the customer that the method belonged to. */
export function detach(account: Account, method: PaymentMethod): PaymentMethod {
  const customer = account.customers.get(String(method.customer))?.customer;
  if (!customer)
    throw invalidRequest("The payment method you provided is not attached to a customer so detachment is impossible.");
  const detached = { ...method, customer: null };
  account.paymentMethods.put(method.id, detached);
  const { invoice_settings } = customer;
  if (invoice_settings.default_payment_method === method.id) {
    account.putCustomer({ ...customer, invoice_settings: { ...invoice_settings, default_payment_method: null } });
  }
  account.emit("payment_method.detached", detached, { before: { customer: customer.id } });
  return detached;
}

/** Newest last. */
export function attachedTo(account: Account, customer: string): PaymentMethod[] {
  return account.paymentMethods.all().filter((one) => one.customer === customer);
}

export function newSetupIntent(account: Account, customer: string): SetupIntent {
  const intent = {
    ...{ id: newId("seti"), object: "setup_intent", customer, payment_method: null },
  } as unknown as SetupIntent;
  account.setupIntents.put(intent.id, intent);
  return intent;
}

/** Begins with what tells the test card. */
function fingerprintFor({ settings }: Account, customer: string, number: string): string {
  return settings.same_fingerprints ? fingerprintOf(number) : `${fingerprintOf(number)}-${customer}`;
}

function newCard(account: Account, customer: string, { number, name, address }: CardInput): PaymentMethod {
  const card = testCards[number];
  if (!card) {
    throw declined("Your card was declined. Your request was in test mode, but used a non test card.");
  }
  if (card.declinesSetup) throw declined("Your card was declined.");
  return {
    id: newId("pm"),
    object: "payment_method",
    billing_details: { address, name },
    card: {
      brand: card.brand,
      country: "US",
      last4: number.slice(-4),
      fingerprint: fingerprintFor(account, customer, number),
    },
    created: account.now(),
    customer,
    type: "card",
  } as PaymentMethod;
}

function newDebit(account: Account, customer: string, { number, name, address }: CardInput): PaymentMethod {
  const sepa_debit = {
    country: number.slice(0, 2),
    last4: number.slice(-4),
    fingerprint: fingerprintFor(account, customer, number),
  };
  return {
    ...{ id: newId("pm"), object: "payment_method", billing_details: { address, name }, created: account.now() },
    ...{ customer, sepa_debit, type: "sepa_debit" },
  } as unknown as PaymentMethod;
}

function declined(message: string): StripeRefusal {
  return new StripeRefusal(402, "card_error", message, { code: "card_declined" });
}
