// The end of a deleted workspace's billing, over the local Stripe.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import { isGivenUp } from "../../../domain/billing/debt.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { type BillingEnd, type BillingEndDependencies, endBilling } from "../../../domain/provisioning/billing-end.ts";
import type { BillingTotal, BillingTotals } from "../../../domain/reporting/billing-total.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../../support/billing/invoices.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

let local: RunningStripe;
let payments: PaymentProvider;
let customerId: string;
let tenant: Tenant;
let sibling: string;
let progress: Partial<Record<string, BillingEnd>>;
let isMetered: boolean;
let total: BillingTotal;
let alarms: unknown[];
let entries: AuditEntry[];
let problems: string[];
beforeEach(async () => {
  local = await startStripe("2027-01-10T11:20:00Z");
  for (const slot of [1, 2]) await aMeteredPrice(local.sdk, slot);
  payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  ({ id: customerId } = await payments.customer({ sub: "ann", email: "ann@acme.example" }));
  const subscribe = async (tenantId: string, slot: number) =>
    (await payments.subscription({ customerId, tenantId, slot, label: aLabel, automaticTax: false })).id;
  tenant = aTenantOf("ann", "t1", {
    stripe_customer_id: customerId,
    stripe_subscription_id: await subscribe("t1", 1),
    billing_slot: 1,
  });
  sibling = await subscribe("t2", 2);
  [progress, isMetered, alarms, problems, entries] = [{}, true, [], [], []];
  uses(0);
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
  isMetered: async () => isMetered,
  totals: {
    get: async () => total,
    invoiced: async (before, { id, quantity }) => {
      total = { ...before, invoiced: { ...before.invoiced, [id]: quantity } };
      return total;
    },
    settled: async () => {},
  } as Partial<BillingTotals> as BillingTotals,
  telemetry: { unbilled: (reason, facts) => void alarms.push({ reason, ...facts }) },
  markup: 2,
  newId: () => "entry",
  log: { info: () => {}, problem: (message) => void problems.push(message) },
  clock: () => local.clock.now(),
});

/** As the ledger has it, in micro-USD with the markup. */
function uses(amount: number): void {
  total = { tenantId: "t1", costs: { "2027-01": amount * 500 }, markups: {}, invoiced: {} } as never;
}

/** As the provider's meter was told. */
function report(slot: number, value: number) {
  return payments.report({ customerId, slot, at: Math.floor(local.clock.now() / 1000) * 1000, value });
}

async function addCard(number: string): Promise<void> {
  const urls = { successUrl: "https://a.example", cancelUrl: "https://b.example" };
  const page = await payments.setupPage({ customerId, ...urls });
  const body = new URLSearchParams({ number, expiry: "12/34", name: "Ada", country: "DE" });
  await fetch(page, { method: "POST", body, redirect: "manual" });
  const [method = ""] = (await payments.paymentMethods(customerId)).map(({ id }) => id);
  await payments.makeDefault(customerId, method);
}

function softDelete(): void {
  tenant = { ...tenant, status: "deleted", deleted_at: new Date(local.clock.now()).toISOString() };
}
const invoices = () => payments.invoices(customerId);
const ofSibling = async () => (await invoices()).filter(({ subscriptionId }) => subscriptionId === sibling);
const subscription = () => payments.findSubscription({ customerId, tenantId: "t1" });
const end = () => endBilling(deps(), tenant);

test("no subscription is cancelled until the last calls are over and their hours are closed", async () => {
  await addCard("4242424242424242");
  uses(3_000_000);
  softDelete();
  local.clock.advance(899_000);
  expect([await end(), (await subscription())?.status]).toEqual([false, "active"]);
  isMetered = false;
  local.clock.advance(1_000);
  expect([await end(), (await subscription())?.status]).toEqual([false, "active"]);
  isMetered = true;
  expect([await end(), (await subscription())?.status]).toEqual([true, "canceled"]);
  expect(await invoices()).toMatchObject([{ status: "paid", totalCents: 300, quantity: 3_000_000 }]);
  expect([await end(), (await invoices()).length, alarms]).toEqual([true, 1, []]);
});

test.each([
  ["nothing of it", 0, 3_000_000],
  ["a part of it", 1_250_000, 3_000_001],
  ["all of it", 3_000_000, 3_000_000],
  ["more than was used in the end", 4_000_000, 3_000_000],
] as const)("the last invoice is the ledger's amount if the provider has counted %s", async (_, counted, used) => {
  await report(1, counted);
  uses(used);
  softDelete();
  local.clock.advance(900_000);
  expect(await end()).toBe(true);
  expect(await invoices()).toMatchObject([{ status: "open", quantity: used }]);
});

test.each(["draft", "final", "nothing"] as const)(
  "the last invoices add up to the ledger's amount if cancelling leaves the provider's draft as %s",
  async (cancel_leaves) => {
    local.stripe.configure({ cancel_leaves, usage_lag_seconds: 3_600 });
    await report(1, 1_000_000);
    uses(3_000_000);
    softDelete();
    local.clock.advance(900_000);
    expect(await end()).toBe(true);
    const all = await invoices();
    expect(all.map(({ status }) => status)).not.toContain("draft");
    expect(all.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(3_000_000);
  },
);

test("an excess on a draft invoice is owed to the owner if the provider does not correct it", async () => {
  local.stripe.configure({ items_below_zero: false });
  await report(1, 4_000_000);
  uses(3_000_000);
  softDelete();
  local.clock.advance(900_000);
  expect(await end()).toBe(true);
  expect(await invoices()).toMatchObject([{ status: "open", quantity: 4_000_000 }]);
  expect(alarms).toEqual([{ reason: "overpaid", tenant_id: "t1", quantity: 1_000_000 }]);
  expect(entries).toMatchObject([{ action: "billing.owed", after: { micro_usd: 1_000_000 } }]);
});

test("the last month's draft and the last invoice together bill all usage of a deleted workspace", async () => {
  await report(1, 2_000_000);
  local.until("2027-02-01T00:10:00Z");
  await report(1, 500_000);
  uses(4_000_000);
  softDelete();
  local.clock.advance(900_000);
  expect(await end()).toBe(true);
  const all = (await invoices()).filter(({ tenantId }) => tenantId === "t1");
  expect([all.length, all.reduce((sum, { quantity }) => sum + quantity, 0)]).toEqual([2, 4_000_000]);
});

test.each([
  [
    "whose subscription people cancelled",
    async () => local.sdk.subscriptions.cancel(tenant.stripe_subscription_id ?? ""),
  ],
  [
    "that never had one",
    async () => {
      tenant = aTenantOf("ann", "t3", { stripe_customer_id: customerId });
    },
  ],
])("usage of a workspace %s is on an invoice of its own", async (_, make) => {
  await make();
  uses(3_000_000);
  softDelete();
  local.clock.advance(900_000);
  expect(await end()).toBe(true);
  expect(await invoices()).toMatchObject([
    { status: "open", quantity: 3_000_000, tenantId: tenant.tenant_id, subscriptionId: undefined },
  ]);
});

test("hours that are not closed after two days are given up and reported", async () => {
  softDelete();
  isMetered = false;
  local.clock.advance(900_000 + 48 * 3_600_000 - 1_000);
  expect(await end()).toBe(false);
  local.clock.advance(1_000);
  expect([await end(), (await subscription())?.status]).toEqual([true, "canceled"]);
  expect(alarms).toEqual([{ reason: "ended", tenant_id: "t1" }]);
});

test("an excess on final invoices is reported once, and recorded in the platform's audit trail", async () => {
  uses(1_000_000);
  total = { ...total, invoiced: { in_before: 1_025_000 } };
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), await end()]).toEqual([true, true]);
  expect(alarms).toEqual([{ reason: "overpaid", tenant_id: "t1", quantity: 25_000 }]);
  const after = { customer_id: customerId, micro_usd: 25_000 };
  expect(entries).toMatchObject([{ tenant_id: "platform", action: "billing.owed", target: "t1", after }]);
});

test.each(["open", "uncollectible"] as const)(
  "the owner's open invoices, which cancelling leaves %s, are collected too",
  async (cancel_makes_others) => {
    local.stripe.configure({ cancel_makes_others });
    await report(2, 2_000_000);
    local.until("2027-02-02T12:00:00Z");
    expect(await ofSibling()).toMatchObject([{ status: "open" }]);
    await addCard("4242424242424242");
    softDelete();
    local.clock.advance(900_000);
    await end();
    expect(await ofSibling()).toMatchObject([{ status: "paid", totalCents: 200 }]);
  },
);

test("a declined invoice that the provider wrote off remains due, and a better card pays it", async () => {
  local.stripe.configure({ cancel_makes_others: "uncollectible" });
  await addCard("4000000000000341");
  await report(2, 2_000_000);
  local.until("2027-02-02T12:00:00Z");
  softDelete();
  local.clock.advance(900_000);
  await end();
  const [owed] = await ofSibling();
  expect([owed?.status, owed?.dueCents, owed && isGivenUp(owed)]).toEqual(["open", 200, true]);
  await addCard("4242424242424242");
  expect(await payments.collect(owed?.id ?? "")).toMatchObject({ status: "paid", dueCents: 0 });
});

test("an open invoice that is declined is tried again automatically after the cancellation", async () => {
  await addCard("4000000000000341");
  await report(2, 2_000_000);
  local.until("2027-02-02T12:00:00Z");
  softDelete();
  local.clock.advance(900_000);
  await end();
  const [left] = await ofSibling();
  expect(left?.status).toBe("open");
  expect(left?.nextAttemptAt).toBeGreaterThan(local.clock.now());
});

test("a subscription that was cancelled in the provider's dashboard has ended", async () => {
  await local.sdk.subscriptions.cancel(tenant.stripe_subscription_id ?? "");
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), problems]).toEqual([true, []]);
});

test("a customer that was deleted in the provider's dashboard leaves nothing to wait for", async () => {
  uses(3_000_000);
  await local.sdk.customers.del(customerId);
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), progress.t1?.endedAt]).toEqual([true, expect.any(String)]);
  expect(alarms).toEqual([{ reason: "ended", tenant_id: "t1", quantity: 3_000_000 }]);
});

test("a subscription that was created but not recorded is found at the end of billing", async () => {
  const { stripe_subscription_id: _unknown, ...rest } = tenant;
  tenant = rest;
  softDelete();
  local.clock.advance(900_000);
  expect([await end(), (await subscription())?.status]).toEqual([true, "canceled"]);
});

test("a workspace without a customer has no billing to end", async () => {
  tenant = aTenantOf("bob", "t3");
  softDelete();
  local.clock.advance(900_000);
  expect(await end()).toBe(true);
});

describe.each(["before", "after"] as const)("what fails %s it took effect is done by the repeat", (when) => {
  test.each([
    "subscriptions.cancel",
    "invoices.list",
    "invoiceItems.create",
    "invoices.retrieve",
    "invoices.finalizeInvoice",
  ])("a failing step of the end of billing is completed by a repeat: %s", async (operation) => {
    await addCard("4242424242424242");
    uses(3_000_000);
    softDelete();
    local.clock.advance(900_000);
    local.fail({ service: "stripe", operation, kind: "error", when });
    await expect(end()).rejects.toMatchObject({ code: "payments_unavailable" });
    expect(await end()).toBe(true);
    expect(await invoices()).toMatchObject([{ status: "paid", totalCents: 300 }]);
    expect((await subscription())?.status).toBe("canceled");
  });
});
