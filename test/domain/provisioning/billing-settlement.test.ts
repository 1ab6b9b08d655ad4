// The settlement of a workspace whose billing has ended, over the local Stripe.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import {
  type BillingSettlementDependencies,
  settle,
  settlementOf,
} from "../../../domain/provisioning/billing-settlement.ts";
import type { BillingTotal, BillingTotals } from "../../../domain/reporting/billing-total.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../../support/billing/invoices.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

let local: RunningStripe;
let payments: PaymentProvider;
let customerId: string;
let tenant: Tenant | undefined;
let endedAt: string | undefined;
let used: number;
let total: BillingTotal;
let entries: AuditEntry[];
beforeEach(async () => {
  local = await startStripe("2027-01-10T11:20:00Z");
  payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  ({ id: customerId } = await payments.customer({ sub: "ann", email: "ann@acme.example" }));
  tenant = aTenantOf("ann", "t1", { stripe_customer_id: customerId, status: "deleted" });
  [endedAt, entries] = ["2027-01-10T12:00:00Z", []];
  total = { tenantId: "t1", costs: {}, markups: {}, invoiced: {} } as never;
});
afterEach(() => local.close());

const deps = (): BillingSettlementDependencies => ({
  payments: async () => payments,
  tenants: { get: async () => tenant },
  ends: { of: async () => ({ isTried: true, endedAt }), cancelled: async () => {}, ended: async () => {} },
  totals: {
    get: async () => ({ ...total, costs: { "2027-01": used * 1_000 } }),
    invoiced: async (before, { id, quantity }) => {
      total = { ...before, invoiced: { ...before.invoiced, [id]: quantity } };
      return total;
    },
    settled: async () => {},
  } as Partial<BillingTotals> as BillingTotals,
  audit: { note: async (entry) => void entries.push(entry) },
  isMetered: async () => true,
  telemetry: { unbilled: () => {} },
  log: { info: () => {}, problem: () => {} },
  markup: 1,
  clock: () => local.clock.now(),
  newId: () => "entry",
});

async function addCard(): Promise<void> {
  const { id } = await local.sdk.paymentMethods.attach("pm_card_visa", { customer: customerId });
  await payments.makeDefault(customerId, id);
}

/** A final invoice of the workspace. */
async function billed(quantity: number): Promise<void> {
  await payments.addUsage({ customerId, tenantId: "t1", label: aLabel, draft: undefined, quantity });
  const draft = (await payments.invoices(customerId)).find(({ status }) => status === "draft");
  await payments.collect(draft?.id ?? "");
}

test("an overpayment is refunded to the card, newest invoice first, once, however often it is confirmed", async () => {
  await addCard();
  await billed(2_000_000);
  await billed(3_000_000);
  used = 1_250_000;
  const [newest, oldest] = await payments.invoices(customerId);
  const plan = await settlementOf(deps(), "t1");
  expect(plan).toMatchObject({
    ...{ used: 1_250_000, billed: 5_000_000, charge: 0 },
    givesBack: [
      { invoice: { id: newest?.id }, quantity: 3_000_000, cents: 300, refundedCents: 300 },
      { invoice: { id: oldest?.id }, quantity: 750_000, cents: 75, refundedCents: 75 },
    ],
  });
  expect(await payments.usageCredits(customerId)).toEqual([]);
  await Promise.all([settle(deps(), "t1"), settle(deps(), "t1")]);
  expect((await settle(deps(), "t1")).givesBack).toEqual([]);
  expect((await payments.charges(customerId)).map(({ refundedCents }) => refundedCents)).toEqual([300, 75]);
  const after = { customer_id: customerId, charged: 0, given_back: 3_750_000 };
  expect(entries[0]).toMatchObject({ tenant_id: "platform", actor: "operator", action: "billing.settle", after });
});

test("settling an overpayment lowers the amount of an open invoice, and gives a credit for an invoice that was never charged", async () => {
  await billed(3_000_000);
  used = 1_000_000;
  await settle(deps(), "t1");
  expect(await payments.invoices(customerId)).toMatchObject([{ status: "open", dueCents: 100 }]);
  await billed(300_000);
  expect((await payments.customerById(customerId))?.balanceCents).toBe(30);
  used = 1_000_000;
  await settle(deps(), "t1");
  expect((await payments.customerById(customerId))?.balanceCents).toBe(0);
});

test("the tax on a settled amount is refunded in proportion", async () => {
  await addCard();
  await billed(3_000_000);
  const list = payments.invoices;
  // The local Stripe computes no tax: 19 % of it, as Stripe would show and charge them.
  const taxed = { subtotalCents: 300, totalCents: 357, paidCents: 357 };
  payments = { ...payments, invoices: async (id) => (await list(id)).map((one) => ({ ...one, ...taxed })) };
  used = 1_000_000;
  expect((await settlementOf(deps(), "t1")).givesBack).toMatchObject([{ cents: 238, refundedCents: 238 }]);
  used = 0;
  expect((await settlementOf(deps(), "t1")).givesBack).toMatchObject([{ cents: 357, refundedCents: 357 }]);
  used = 1_900_000;
  await settle(deps(), "t1");
  expect((await local.sdk.creditNotes.list({ customer: customerId })).data).toMatchObject([
    { amount: 131, metadata: { quantity: "1100000" } },
  ]);
});

test("usage that is on no invoice is charged once on an invoice of its own", async () => {
  await addCard();
  await billed(1_000_000);
  used = 3_500_000;
  expect(await settlementOf(deps(), "t1")).toMatchObject({ charge: 2_500_000, givesBack: [] });
  await settle(deps(), "t1");
  expect(await settle(deps(), "t1")).toMatchObject({ charge: 0 });
  expect(await payments.invoices(customerId)).toMatchObject([
    { status: "paid", quantity: 2_500_000 },
    { status: "paid", quantity: 1_000_000 },
  ]);
});

test.each(["before", "after"] as const)(
  "a credit that fails %s it took effect is given once when it is repeated",
  async (when) => {
    await addCard();
    await billed(3_000_000);
    used = 1_000_000;
    local.fail({ service: "stripe", operation: "creditNotes.create", kind: "error", when });
    await expect(settle(deps(), "t1")).rejects.toMatchObject({ code: "payments_unavailable" });
    await settle(deps(), "t1");
    expect((await payments.charges(customerId)).map(({ refundedCents }) => refundedCents)).toEqual([200]);
  },
);

test("settling the billing of a workspace that is purged, or still billed, is refused", async () => {
  endedAt = undefined;
  await expect(settlementOf(deps(), "t1")).rejects.toThrow("has not ended");
  tenant = undefined;
  await expect(settle(deps(), "t1")).rejects.toThrow("no such workspace");
});
