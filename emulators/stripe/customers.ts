// Customers. Deleting a customer ends its subscriptions without an invoice.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endSubscription, runningSubscriptions } from "./billing/subscription-end.ts";
import { endpoint, listing, nothing, retrieval } from "./endpoint.ts";
import { type Customer, newId } from "./objects.ts";
import { defined, int, mergedMetadata, metadata } from "./parameters.ts";
import { missing } from "./refusal.ts";

const text = z.string().max(5_000);
const address = z.strictObject({
  city: text.optional(),
  country: text.optional(),
  line1: text.optional(),
  line2: text.optional(),
  postal_code: text.optional(),
  state: text.optional(),
});
const fields = {
  // Empty text removes the address.
  address: z.union([z.literal(""), address]).optional(),
  email: z.string().max(512).optional(),
  name: z.string().max(256).optional(),
  metadata: metadata.optional(),
  invoice_settings: z.strictObject({ default_payment_method: z.string().optional() }).optional(),
};

const created = z.strictObject({ ...fields, test_clock: z.string().optional() });

export const customers = [
  endpoint(["POST", "/v1/customers"], "customers.create", created, ({ test_clock = null, ...given }, { account }) => {
    const customer = account.putCustomer(change(account, { ...newCustomer(account), test_clock }, given));
    account.emit("customer.created", customer);
    return customer;
  }),
  listing("/v1/customers", "customers", ["email"], ({ customers }) =>
    customers
      .all()
      .filter(({ deleted }) => !deleted)
      .map(({ customer }) => customer),
  ),
  retrieval("/v1/customers", "customers", "customer", (account, id) => {
    const kept = account.customers.get(id);
    return kept?.deleted ? { id, object: "customer", deleted: true } : kept?.customer;
  }),
  endpoint(["POST", "/v1/customers/:id"], "customers.update", z.strictObject(fields), (given, { account, path }) => {
    const customer = account.putCustomer(change(account, account.customer(path.id ?? ""), given));
    account.emit("customer.updated", customer);
    return customer;
  }),
  // A credit of the customer has an amount below zero (docs.stripe.com/billing/customer/balance).
  endpoint(
    ["POST", "/v1/customers/:id/balance_transactions"],
    "customers.createBalanceTransaction",
    z.strictObject({ amount: int, currency: z.literal("usd"), description: text.optional() }),
    ({ amount, currency, description = null }, { account, path }) => {
      const customer = account.customer(path.id ?? "");
      const ending_balance = customer.balance + amount;
      account.putCustomer({ ...customer, balance: ending_balance });
      const made = { id: newId("cbtxn"), object: "customer_balance_transaction", type: "adjustment" };
      return { ...made, amount, currency, customer: customer.id, description, ending_balance };
    },
  ),
  endpoint(["DELETE", "/v1/customers/:id"], "customers.del", nothing, (_, { account, path }) => {
    const { id } = deleteCustomer(account, path.id ?? "");
    return { id, object: "customer", deleted: true };
  }),
];

/** The record stays readable; its subscriptions end at once, without an invoice (docs.stripe.com/api/customers/delete). */
export function deleteCustomer(account: Account, id: string): Customer {
  const customer = account.customer(id);
  for (const subscription of runningSubscriptions(account, id)) endSubscription(account, subscription);
  for (const method of account.paymentMethods.all()) {
    if (method.customer === id) account.paymentMethods.put(method.id, { ...method, customer: null });
  }
  account.customers.put(id, { id, customer, deleted: true });
  account.emit("customer.deleted", customer);
  return customer;
}

function newCustomer(account: Account): Customer {
  return {
    id: newId("cus"),
    object: "customer",
    address: null,
    balance: 0,
    created: account.now(),
    currency: null,
    email: null,
    invoice_settings: { default_payment_method: null },
    metadata: {},
    name: null,
  } as Customer;
}

type Given = z.output<z.ZodObject<typeof fields>>;

function change(account: Account, customer: Customer, given: Given): Customer {
  const { address, metadata, invoice_settings, ...texts } = given;
  const method = invoice_settings?.default_payment_method;
  if (method && account.paymentMethods.get(method)?.customer !== customer.id) {
    throw missing("PaymentMethod", method, "invoice_settings[default_payment_method]", 400);
  }
  const empty = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
  return {
    ...customer,
    ...Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, value === "" ? null : value])),
    ...(address === "" && { address: null }),
    ...(address && { address: { ...empty, ...customer.address, ...defined(address) } }),
    metadata: mergedMetadata(customer.metadata, metadata),
    invoice_settings: {
      ...customer.invoice_settings,
      ...(method !== undefined && { default_payment_method: method || null }),
    },
  };
}
