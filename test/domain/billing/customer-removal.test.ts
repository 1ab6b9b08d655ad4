import { expect, test } from "@jest/globals";
import type { Customer } from "../../../domain/billing/customer.ts";
import { type CustomerRemovalDependencies, removeCustomer } from "../../../domain/billing/customer-removal.ts";
import type { PaymentCharge, PaymentInvoice, PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { anInvoice } from "../../support/billing/invoices.ts";

const kept: Customer = {
  owner_sub: "ada",
  customer_id: "cus_1",
  has_payment_method: true,
  version: 1,
  cards: ["mark"],
};
const atProvider = { id: "cus_1", email: "ada@acme.test", defaultPaymentMethod: undefined, balanceCents: 0 };

type World = {
  kept?: Customer | undefined;
  isOwnersNoMore?: boolean;
  there?: typeof atProvider | undefined;
  invoices?: PaymentInvoice[];
  charges?: PaymentCharge[];
  /** Whether the debt was kept before. */
  isKnown?: boolean;
  addressInUse?: string;
  profile?: { email: string };
  /** The customer that the provider finds for an address. */
  found?: { [email: string]: string };
};

function world(changes: World = {}) {
  const {
    there,
    invoices = [],
    charges = [],
    isKnown = false,
    found = {},
    ...given
  } = { kept, there: atProvider, ...changes };
  const calls: unknown[][] = [];
  const note = (...call: unknown[]) => void calls.push(call);
  let recorded = given.kept;
  const payments: Partial<PaymentProvider> = {
    customerById: async () => there,
    invoices: async () => invoices,
    charges: async () => charges,
    paymentMethods: async () => [
      { id: "pm_1", fingerprint: "print" },
      { id: "pm_2", fingerprint: undefined },
    ],
    deleteCustomer: async (id) => note("delete", id),
    findCustomer: async ({ email }) => {
      const id = found[email];
      return id === undefined ? undefined : { ...atProvider, id };
    },
  };
  const deps: CustomerRemovalDependencies = {
    payments: async () => payments as PaymentProvider,
    customers: {
      get: async () => recorded,
      leave: async ({ customer_id }) => {
        note("leave", customer_id);
        return !given.isOwnersNoMore;
      },
      remove: async ({ customer_id }) => note("remove", customer_id),
      forgetAddress: async (sub) => note("forget address", sub),
      addressInUse: async () => given.addressInUse,
      put: async (next, before) => {
        note("put", next.customer_id, before?.customer_id);
        recorded = { ...kept, ...next };
        return true;
      },
    } as Partial<CustomerRemovalDependencies["customers"]> as CustomerRemovalDependencies["customers"],
    users: { record: async () => ({ profile: given.profile }) as never },
    recognition: {
      leave: async (known, debt, entry) => {
        note("debt", known, debt, entry.action, entry.actor, entry.target, entry.tenant_id, entry.after);
        return !isKnown;
      },
      forget: async (sub, known) => note("forget", sub, known),
    },
    telemetry: { unbilled: (reason, facts) => note("alarm", reason, facts) },
    log: { info: () => {}, problem: (message, facts) => note("problem", message, facts) },
    clock: () => 0,
    newId: () => "id",
  };
  return { calls, remove: () => removeCustomer(deps, "ada") };
}

const known = { email: "ada@acme.test", fingerprints: ["print"], cards: ["mark"] };

test("a customer is marked as leaving before it is deleted at the payment provider, and then forgotten", async () => {
  const { calls, remove } = world();
  expect(await remove()).toBe(1);
  expect(calls).toEqual([
    ["leave", "cus_1"],
    ["forget", "ada", known],
    ["delete", "cus_1"],
    ["remove", "cus_1"],
    ["forget address", "ada"],
  ]);
});

test("nothing is deleted for an owner without a customer, or whose customer is another one by now", async () => {
  const none = world({ kept: undefined });
  expect(await none.remove()).toBe(0);
  expect(none.calls).toEqual([["forget address", "ada"]]);
  const other = world({ isOwnersNoMore: true });
  expect(await other.remove()).toBe(0);
  expect(other.calls).toEqual([
    ["leave", "cus_1"],
    ["forget address", "ada"],
  ]);
});

test("a debt that leaves with its owner is kept for when the owner comes again, and operators are told", async () => {
  const invoices = [anInvoice({ id: "in_1" }), anInvoice({ id: "in_2", status: "paid", dueCents: 0 })];
  const dispute = { id: "du_1", status: "lost" };
  const charges = [{ id: "ch_1", paidCents: 200, refundedCents: 0, dispute }];
  const { calls, remove } = world({ invoices, charges, there: { ...atProvider, balanceCents: 40 } });
  await remove();
  const owed = { customer_id: "cus_1", cents: 540, invoices: ["in_1"] };
  const trail = ["billing.debt_left", "payments", "ada", "platform", owed];
  expect(calls.slice(1, 5)).toEqual([
    ["debt", known, { customerId: "cus_1", cents: 540 }, ...trail],
    ["problem", expect.any(String), owed],
    ["alarm", "debt_left", { quantity: 5_400_000 }],
    ["forget", "ada", known],
  ]);
});

test("a debt that was kept before is told once", async () => {
  const { calls, remove } = world({ invoices: [anInvoice()], isKnown: true });
  await remove();
  expect(calls.map(([call]) => call)).toEqual(["leave", "debt", "forget", "delete", "remove", "forget address"]);
});

test("money on an owner's balance pays no open invoice of a debt that leaves", async () => {
  const { calls, remove } = world({ invoices: [anInvoice()], there: { ...atProvider, balanceCents: -100 } });
  await remove();
  expect(calls[1]?.[2]).toEqual({ customerId: "cus_1", cents: 300 });
});

test("a customer that was deleted at the provider is known by earlier cards only", async () => {
  const { calls, remove } = world({ there: undefined });
  expect(await remove()).toBe(1);
  expect(calls[1]).toEqual(["forget", "ada", { email: undefined, fingerprints: [], cards: ["mark"] }]);
});

test.each<[string, World, string]>([
  ["the address of the creation", { kept: undefined, addressInUse: "old@acme.test" }, "cus_old"],
  ["the profile's address, if none is noted", { kept: undefined, profile: { email: "new@acme.test" } }, "cus_new"],
  ["the noted address, in place of a customer of before", { addressInUse: "old@acme.test" }, "cus_old"],
])("a customer whose creation was cut off is found by %s, and deleted", async (_, changes, id) => {
  const found = { "old@acme.test": "cus_old", "new@acme.test": "cus_new" };
  const { calls, remove } = world({ ...changes, found });
  expect(await remove()).toBe(1);
  expect(calls[0]).toEqual(["put", id, changes.kept === undefined && "kept" in changes ? undefined : "cus_1"]);
  expect(calls).toContainEqual(["delete", id]);
});

test("the provider is not searched for a customer whose creation is finished, or of an owner without an address", async () => {
  const finished = world({ profile: { email: "ada@acme.test" }, found: { "ada@acme.test": "cus_9" } });
  await finished.remove();
  expect(finished.calls).toContainEqual(["delete", "cus_1"]);
  expect(await world({ kept: undefined, found: { undefined: "cus_9" } }).remove()).toBe(0);
});

test("a customer that the table has already is not recorded a second time", async () => {
  const { calls, remove } = world({ addressInUse: "ada@acme.test", found: { "ada@acme.test": "cus_1" } });
  await remove();
  expect(calls[0]).toEqual(["leave", "cus_1"]);
});
