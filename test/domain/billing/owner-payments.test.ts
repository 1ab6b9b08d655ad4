import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Customer } from "../../../domain/billing/customer.ts";
import { ownerInvoiceSchema } from "../../../domain/billing/owner-invoices.ts";
import { ownerPayments, paymentStateSchema } from "../../../domain/billing/owner-payments.ts";
import { PaymentError, type PaymentInvoice, type PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { openPayments } from "../../support/billing/payments.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

let world: Awaited<ReturnType<typeof openPayments>>;
let payments: ReturnType<typeof ownerPayments>;
beforeAll(async () => {
  world = await openPayments();
  const { customers, opened } = world;
  const provider = async () => world.payments;
  const { tenants } = opened.stores;
  payments = ownerPayments({
    payments: provider,
    customers,
    tenants,
    refresh: (sub) => refresh(sub),
    log: world.deps.log,
  });
});
const refreshed: string[] = [];
let refresh = async (sub: string): Promise<void> => void refreshed.push(sub);
afterAll(() => world.close());

const back = { successUrl: "https://console.example.com/billing", cancelUrl: "https://console.example.com/billing" };

test("the payment state contains a workspace's subscription and the owner's unpaid invoices", async () => {
  const ada = await world.owner();
  const [one, two] = [await world.workspace(ada, 1), await world.workspace(ada, 2)];
  await world.use(ada.customer_id, 3, 1);
  world.local.until("2027-02-01T03:00:00Z");
  const state = await payments.state(two);
  expect(paymentStateSchema.parse(state)).toEqual(state);
  expect(state).toMatchObject({
    subscription: { subscription_id: (await world.tenant(two)).stripe_subscription_id, status: "active" },
    balance: 0,
  });
  expect((await payments.state(one))?.subscription).toMatchObject({ status: "past_due" });
  const [invoice] = state?.invoices.filter(({ total }) => total > 0) ?? [];
  expect(invoice).toMatchObject({ status: "open", total: 3, due: 3, currency: "usd", url: expect.any(String) });
  expect(invoice?.subscription_id).toBe((await world.tenant(one)).stripe_subscription_id);
});

test("all invoices of the owner are listed, page by page: paid ones with their receipt, each with its workspace", async () => {
  world.local.until("2027-02-10T12:00:00Z");
  const ada = await world.owner();
  const paying = { stripe_customer_id: ada.customer_id };
  const one = await world.workspace(ada, 1, { ...paying, billing_slot: 1, purchase_order: "PO-1" });
  const two = await world.workspace(ada, 2, { ...paying, billing_slot: 2 });
  await payments.label(one);
  await payments.label(two);
  await world.setUp(ada.customer_id);
  await world.settle();
  await world.use(ada.customer_id, 3.25, 1);
  await world.use(ada.customer_id, 0.2, 2);
  world.local.until("2027-03-01T03:00:00Z");
  const first = await payments.invoices(one, { limit: 1, after: undefined });
  const second = await payments.invoices(one, { limit: 1, after: first?.next });
  const all = [...(first?.items ?? []), ...(second?.items ?? [])];
  expect([second?.next, all.map((each) => ownerInvoiceSchema.parse(each))]).toEqual([undefined, all]);
  const of = (tenantId: string) => all.find(({ tenant_id }) => tenant_id === tenantId);
  expect(of(one)).toMatchObject({
    ...{ status: "paid", workspace: `${one} (${one})`, purchase_order: "PO-1", month: "2027-02", usage_usd: 3.25 },
    ...{ currency: "usd", subtotal: 3.25, tax: 0, total: 3.25, paid: 3.25, due: 0 },
    ...{ created_at: "2027-03-01T00:00:00.000Z", paid_at: "2027-03-01T01:00:00.000Z", number: expect.any(String) },
  });
  for (const name of ["url", "pdf_url", "receipt_url"] as const) {
    expect((await fetch(of(one)?.[name] ?? "")).status).toBe(200);
  }
  // It is below what a card is charged with, and stands on the next invoice.
  expect(of(two)).toMatchObject({ status: "paid", usage_usd: 0.2, total: 0.2, paid: 0 });
  expect(of(two)).not.toHaveProperty("receipt_url");
  await expect(payments.invoices(one, { limit: 1, after: "in_other" })).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("reading the payment state corrects a stored state that differs from the provider's, and a failure to store it hides nothing", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  refreshed.length = 0;
  await payments.state(one);
  expect(refreshed).toEqual([]);
  await world.setUp(ada.customer_id);
  refresh = async (sub) => {
    refreshed.push(sub);
    throw new Error("down");
  };
  expect(await payments.state(one)).toMatchObject({ balance: 0 });
  expect(refreshed).toEqual([ada.sub]);
  expect(world.lines.at(-1)?.message).toContain("could not be taken over");
});

test("payment pages are opened for the customer of the workspace's owner", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  expect(await (await fetch(await payments.setupPage(one, back))).text()).toContain("Add a payment method");
  expect(await (await fetch(await payments.portalPage(one, { returnUrl: back.cancelUrl }))).text()).toContain(
    "Billing",
  );
});

test("the payment state is empty without a customer, or if the customer is being removed", async () => {
  const nobody = { sub: "nobody", customer_id: (await world.owner()).customer_id };
  const tenantId = await world.workspace(nobody);
  expect(await payments.state(tenantId)).toBeUndefined();
  expect(await payments.invoices(tenantId, { limit: 1, after: undefined })).toBeUndefined();
  await expect(payments.setupPage(tenantId, back)).rejects.toMatchObject({ code: "payments_unavailable" });
});

test("a customer that was deleted in the provider's dashboard counts as missing", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  await world.local.sdk.customers.del(ada.customer_id);
  expect(await payments.state(one)).toBeUndefined();
  await expect(payments.setupPage(one, back)).rejects.toMatchObject({ code: "payments_unavailable" });
  await expect(payments.portalPage(one, { returnUrl: back.cancelUrl })).rejects.toMatchObject({
    code: "payments_unavailable",
  });
});

test("a workspace without a subscription, or with an ended one, has no future invoice that would show a new name", async () => {
  const ada = await world.owner();
  const ended = await world.workspace(ada, 1, { stripe_customer_id: ada.customer_id, billing_slot: 1 });
  const none = await world.workspace(ada, 2, { stripe_subscription_id: undefined });
  await world.local.sdk.subscriptions.cancel((await world.tenant(ended)).stripe_subscription_id ?? "");
  const before = world.local.calls.all().length;
  await payments.label(ended);
  expect(world.local.calls.all().slice(before)).toMatchObject([{ operation: "subscriptions.update", status: 400 }]);
  await payments.label(none);
  await payments.label("nobody");
  expect(world.local.calls.all()).toHaveLength(before + 1);
});

test("a disputed payment is shown with its invoice, and with the state of the dispute", async () => {
  world.local.until("2027-05-10T12:00:00Z");
  const ada = await world.owner();
  const workspace = await world.workspace(ada, 3, { billing_slot: 3 });
  await world.setUp(ada.customer_id, "4000000000000259");
  await world.settle();
  await world.use(ada.customer_id, 4, 3);
  world.local.until("2027-06-01T03:00:00Z");
  const shown = async () => (await payments.state(workspace))?.disputes;
  const [dispute] = (await shown()) ?? [];
  expect(dispute).toEqual({ dispute_id: expect.any(String), status: "needs_response", amount: 4 });
  await world.local.sdk.disputes.close(dispute?.dispute_id ?? "");
  expect(await shown()).toMatchObject([{ status: "lost" }]);
});

describe("the state that a provider answers with", () => {
  const given = anInvoice();
  const retried = anInvoice({ nextAttemptAt: 1 });
  const settled = anInvoice({ status: "paid", dueCents: 0 });

  /** The payments of an owner with one workspace, and of what this provider says. */
  function paymentsBy(provider: Partial<PaymentProvider>, customer: Partial<Customer> = {}) {
    const refreshed: string[] = [];
    const kept = { owner_sub: "ada", customer_id: "cus_1", has_payment_method: false, version: 1, ...customer };
    const silent: Partial<PaymentProvider> = {
      customerById: async (id) => ({ id, email: undefined, defaultPaymentMethod: undefined, balanceCents: 0 }),
      invoices: async () => [],
      paymentMethods: async () => [],
      charges: async () => [],
    };
    const payments = ownerPayments({
      payments: async () => ({ ...silent, ...provider }) as PaymentProvider,
      customers: { get: async () => kept },
      tenants: { get: async () => aTenantOf("ada", "t1", { stripe_subscription_id: undefined }) },
      refresh: async (sub) => void refreshed.push(sub),
      log: { info: () => {}, problem: () => {} },
    });
    return { payments, refreshed };
  }

  test.each<[string, { invoices?: PaymentInvoice[]; hasMethod?: boolean }, Partial<Customer>, boolean]>([
    ["nothing has changed", {}, {}, false],
    ["the owner has added a payment method", { hasMethod: true }, {}, true],
    ["the owner has removed the payment method", {}, { has_payment_method: true }, true],
    ["an invoice was given up", { invoices: [retried, given] }, {}, true],
    ["an invoice was given up that is known as a debt", { invoices: [given] }, { owes: ["in_1"] }, false],
    ["an invoice is still tried", { invoices: [retried] }, {}, false],
    ["a debt is tried again", { invoices: [retried] }, { owes: ["in_1"] }, false],
    ["a debt is paid", { invoices: [settled] }, { owes: ["in_1"] }, true],
    ["an invoice is paid that was no debt", { invoices: [settled] }, { owes: ["in_2"] }, false],
  ])(
    "the owner's workspaces follow the provider if they are behind its state: %s",
    async (_, at, customer, isBehind) => {
      const method = { id: "pm_1", fingerprint: undefined };
      const { payments, refreshed } = paymentsBy(
        { invoices: async () => at.invoices ?? [], paymentMethods: async () => (at.hasMethod ? [method] : []) },
        customer,
      );
      await payments.state("t1");
      expect(refreshed).toEqual(isBehind ? ["ada"] : []);
    },
  );

  test("the payment state has the balance in USD, and the sixty newest invoices that are neither paid nor void", async () => {
    const open = Array.from({ length: 61 }, (_, n) => anInvoice({ id: `in_${n}` }));
    const { payments } = paymentsBy({
      customerById: async (id) => ({ id, email: undefined, defaultPaymentMethod: undefined, balanceCents: -150 }),
      invoices: async () => [settled, anInvoice({ status: "void" }), ...open],
    });
    const state = await payments.state("t1");
    expect([state?.balance, state?.invoices.length, state?.invoices.at(-1)?.invoice_id]).toEqual([-1.5, 60, "in_59"]);
  });

  test("a page of the provider for a customer that is gone is refused as one that is not set up yet, and other failures stay what they are", async () => {
    const opening = (error: Error) =>
      paymentsBy({ setupPage: () => Promise.reject(error) }).payments.setupPage("t1", back);
    const gone = new PaymentError("checkout.sessions.create", { code: "resource_missing" });
    await expect(opening(gone)).rejects.toMatchObject({ code: "payments_unavailable", cause: gone });
    for (const error of [new PaymentError("checkout.sessions.create", { code: "other" }), new Error("no answer")]) {
      await expect(opening(error)).rejects.toBe(error);
    }
  });
});

test("a subscription that refuses a new name is left as it is, and an outage is told", async () => {
  const failing = (error: Error) => {
    const provider: Partial<PaymentProvider> = { relabel: () => Promise.reject(error) };
    const billed = { stripe_customer_id: "cus_1", stripe_subscription_id: "sub_1", billing_slot: 1 };
    return ownerPayments({
      payments: async () => provider as PaymentProvider,
      customers: { get: async () => undefined },
      tenants: { get: async () => aTenantOf("ada", "t1", billed) },
      refresh: async () => {},
      log: world.deps.log,
    }).label("t1");
  };
  await expect(failing(new PaymentError("subscriptions.update", { code: "ended" }))).resolves.toBeUndefined();
  await expect(failing(new Error("no answer"))).rejects.toThrow("no answer");
});
