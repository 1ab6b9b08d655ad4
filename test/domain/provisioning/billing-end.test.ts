// The end of a deleted workspace's billing, over the local Stripe.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { type BillingEnd, type BillingEndDependencies, endBilling } from "../../../domain/provisioning/billing-end.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../support/billing/local-stripe.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

let local: RunningStripe;
let payments: PaymentProvider;
let customerId: string;
let tenant: Tenant;
let sibling: string;
let progress: Partial<Record<string, BillingEnd>>;
let open: number;
let lost: unknown[];
let tooMuch: number;
let owed: unknown[];
let entries: AuditEntry[];
let problems: string[];
beforeEach(async () => {
  local = await startStripe("2027-01-10T11:20:00Z");
  for (const slot of [1, 2]) await aMeteredPrice(local.sdk, slot);
  payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  ({ id: customerId } = await payments.customer({ sub: "ann", email: "ann@acme.example" }));
  const subscribe = async (tenantId: string, slot: number) =>
    (await payments.subscription({ customerId, tenantId, slot, automaticTax: false })).id;
  tenant = aTenantOf("ann", "t1", {
    stripe_customer_id: customerId,
    stripe_subscription_id: await subscribe("t1", 1),
    billing_slot: 1,
  });
  sibling = await subscribe("t2", 2);
  [progress, open, lost, problems] = [{}, 0, [], []];
  [tooMuch, owed, entries] = [0, [], []];
});
afterEach(() => local.close());

function note(id: string, reached: Partial<BillingEnd>): void {
  progress[id] = { isTried: true, ...progress[id], ...reached };
}

const deps = (): BillingEndDependencies => ({
  payments: async () => payments,
  ends: {
    of: async (id) => ({ isTried: true, ...progress[id] }),
    cancelled: async (id, cancelledAt) => note(id, { cancelledAt }),
    ended: async (id, endedAt, entry) => {
      note(id, { endedAt });
      if (entry) entries.push(entry);
    },
  },
  unbilledUsage: async () => open,
  lost: (...facts) => void lost.push(facts),
  overpaid: async () => tooMuch,
  owed: (...facts) => void owed.push(facts),
  newId: () => "entry",
  log: { info: () => {}, problem: (message) => void problems.push(message) },
  clock: () => local.clock.now(),
});

function use(slot: number, value: number, at = local.clock.now()) {
  return payments.report({ customerId, slot, identifier: `${slot}-${at}`, at: Math.floor(at / 1000) * 1000, value });
}

async function addCard(number: string): Promise<void> {
  const urls = { successUrl: "https://a.example", cancelUrl: "https://b.example" };
  const page = await payments.setupPage({ customerId, ...urls, collectAddress: false });
  const body = new URLSearchParams({ number, expiry: "12/34", name: "Ada" });
  await fetch(page.url, { method: "POST", body, redirect: "manual" });
  const setup = await payments.finishedSetup(page.id);
  await payments.makeDefault(customerId, setup?.paymentMethodId ?? "");
}

function softDelete(): void {
  tenant = { ...tenant, status: "deleted", deleted_at: new Date(local.clock.now()).toISOString() };
}
const invoices = () => payments.invoices(customerId);
const ofSibling = async () => (await invoices()).filter(({ subscriptionId }) => subscriptionId === sibling);
const subscription = () => payments.findSubscription({ customerId, tenantId: "t1" });
const end = () => endBilling(deps(), tenant);

test("nothing is cancelled until the last calls are over and all that was used is counted", async () => {
  await addCard("4242424242424242");
  await use(1, 3_000_000);
  softDelete();
  local.clock.advance(899_000);
  expect([await end(), (await subscription())?.status]).toEqual([false, "active"]);
  open = 2;
  local.clock.advance(1_000);
  expect([await end(), (await subscription())?.status]).toEqual([false, "active"]);
  open = 0;
  expect([await end(), (await subscription())?.status]).toEqual([true, "canceled"]);
  expect(await invoices()).toMatchObject([{ status: "paid", totalCents: 300, quantity: 3_000_000 }]);
  expect([await end(), (await invoices()).length, lost]).toEqual([true, 1, []]);
});

test("what is not counted after two days is given up, and told", async () => {
  softDelete();
  open = 2;
  local.clock.advance(900_000 + 48 * 3_600_000 - 1_000);
  expect(await end()).toBe(false);
  local.clock.advance(1_000);
  expect([await end(), lost, (await subscription())?.status]).toEqual([true, [["t1", 2]], "canceled"]);
});

test("what the owner has paid too much, and no event could take back, is told and on the platform's trail, once", async () => {
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), owed, entries]).toEqual([true, [], []]);
  [progress, tooMuch] = [{}, 25_000];
  expect([await end(), await end(), owed]).toEqual([true, true, [["t1", 25_000]]]);
  expect(entries).toMatchObject([
    {
      tenant_id: "platform",
      action: "billing.owed",
      target: "t1",
      after: { customer_id: customerId, micro_usd: 25_000 },
    },
  ]);
});

test("the owner's open invoices, which the cancelling leaves uncollected, are collected too", async () => {
  await use(2, 2_000_000);
  local.until("2027-02-02T12:00:00Z");
  expect(await ofSibling()).toMatchObject([{ status: "open" }]);
  await addCard("4242424242424242");
  softDelete();
  local.clock.advance(900_000);
  await end();
  expect(await ofSibling()).toMatchObject([{ status: "paid", totalCents: 200 }]);
});

test("an open one that is declined is tried again by itself, as before", async () => {
  await addCard("4000000000000341");
  await use(2, 2_000_000);
  local.until("2027-02-02T12:00:00Z");
  softDelete();
  local.clock.advance(900_000);
  await end();
  const [left] = await ofSibling();
  expect(left?.status).toBe("open");
  expect(left?.nextAttemptAt).toBeGreaterThan(local.clock.now());
});

test("a subscription that was cancelled in the provider's dashboard is at its end", async () => {
  await local.sdk.subscriptions.cancel(tenant.stripe_subscription_id ?? "");
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), problems]).toEqual([true, []]);
});

test("a customer that was deleted in the provider's dashboard leaves nothing to wait for", async () => {
  await use(1, 3_000_000);
  await local.sdk.customers.del(customerId);
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), progress.t1?.endedAt]).toEqual([true, expect.any(String)]);
});

test("a subscription that a creation made and did not name is found", async () => {
  const { stripe_subscription_id: _unknown, ...rest } = tenant;
  tenant = rest;
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), (await subscription())?.status]).toEqual([true, "canceled"]);
});

test("without a customer there is nothing to end", async () => {
  tenant = aTenantOf("bob", "t3");
  softDelete();
  local.clock.advance(900_000);
  expect(await end()).toBe(true);
});

describe.each(["before", "after"] as const)("what fails %s it took effect is done by the repeat", (when) => {
  test.each(["subscriptions.cancel", "invoices.list", "invoices.retrieve", "invoices.finalizeInvoice"])(
    "%s",
    async (operation) => {
      await addCard("4242424242424242");
      await use(1, 3_000_000);
      softDelete();
      local.clock.advance(900_000);
      local.fail({ service: "stripe", operation, kind: "error", when });
      await expect(end()).rejects.toMatchObject({ code: "payments_unavailable" });
      expect(await end()).toBe(true);
      expect(await invoices()).toMatchObject([{ status: "paid", totalCents: 300 }]);
      expect((await subscription())?.status).toBe("canceled");
    },
  );
});
