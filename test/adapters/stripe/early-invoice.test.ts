import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../../support/billing/invoices.ts";

let local: RunningStripe;
let payments: PaymentProvider;
let customerId: string;
beforeEach(async () => {
  local = await startStripe("2027-01-10T11:20:00Z");
  await aMeteredPrice(local.sdk, 1);
  payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  ({ id: customerId } = await payments.customer({ sub: "sub-1", email: "owner@acme.example" }));
  await payments.makeDefault(customerId, await aCard());
});
afterEach(() => local.close());

async function aCard(): Promise<string> {
  const back = { successUrl: "https://a.example", cancelUrl: "https://b.example" };
  const url = await payments.setupPage({ customerId, ...back });
  const body = new URLSearchParams({ number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" });
  await fetch(url, { method: "POST", body, redirect: "manual" });
  return (await payments.paymentMethods(customerId)).map(({ id }) => id)[0] ?? "";
}

async function bill(
  quantity: number,
  { billedBefore = 0, draftId = undefined as string | undefined, isTaxed = false } = {},
) {
  const wanted = { customerId, tenantId: "t1", slot: 1, label: aLabel, automaticTax: isTaxed };
  const { id: subscriptionId } = await payments.subscription(wanted);
  return payments.billEarly({
    customerId,
    tenantId: "t1",
    subscriptionId,
    label: aLabel,
    billedBefore,
    draftId,
    quantity,
  });
}

const early = async () =>
  (await payments.invoices(customerId)).filter(({ subscriptionId }) => subscriptionId === undefined);

test("an early invoice names the workspace, contains the quantity, and is paid", async () => {
  expect(await bill(25_000_001)).toBe(25_000_001);
  expect(await early()).toMatchObject([
    { tenantId: "t1", label: aLabel, status: "paid", quantity: 25_000_001, totalCents: 2_500, paidCents: 2_500 },
  ]);
});

test("repeating an early invoice adds nothing, even with another quantity and after Stripe forgot the idempotency keys", async () => {
  await bill(25_000_000);
  expect(await bill(26_000_000)).toBe(25_000_000);
  local.clock.advance(2 * 86_400_000);
  expect(await bill(27_000_000)).toBe(25_000_000);
  expect(await early()).toMatchObject([{ quantity: 25_000_000 }]);
  expect(await bill(27_000_000, { billedBefore: 25_000_000 })).toBe(27_000_000);
  expect(await early()).toHaveLength(2);
});

test.each(["invoices.create", "invoices.update", "invoiceItems.create", "invoices.finalizeInvoice", "invoices.pay"])(
  "an early invoice that was interrupted at %s continues with its first quantity",
  async (operation) => {
    for (const when of ["before", "after"] as const) {
      const billedBefore = when === "before" ? 0 : 1;
      local.fail({ service: "stripe", operation, kind: "error", when });
      await bill(2_000_000, { billedBefore }).catch(() => undefined);
      const [begun] = (await early()).filter(({ status }) => status === "draft");
      await bill(3_000_000, { billedBefore, draftId: begun?.id });
    }
    const made = await early();
    expect(made.map(({ status }) => status)).toEqual(["paid", "paid"]);
    // Before its quantity is noted, it has that of the repeat.
    for (const { quantity } of made) expect([2_000_000, 3_000_000]).toContain(quantity);
    expect((await local.sdk.charges.list({ customer: customerId })).data).toHaveLength(2);
  },
);

test("an early invoice is taxed if the workspace's subscription is taxed", async () => {
  const taxOf = async () => (await local.sdk.invoices.retrieve((await early())[0]?.id ?? "")).automatic_tax;
  await bill(2_000_000);
  expect(await taxOf()).toMatchObject({ enabled: false });
  await local.sdk.customers.update(customerId, { address: { country: "DE" } });
  await payments.applyTax(customerId);
  await bill(2_000_000, { billedBefore: 2_000_000, isTaxed: true });
  expect(await taxOf()).toMatchObject({ enabled: true, status: "complete" });
  // Of a customer who is nowhere any more it is charged without tax, as the month's would be.
  await local.sdk.customers.update(customerId, { address: "" });
  const { id: cardOfNowhere } = await local.sdk.paymentMethods.attach("pm_card_visa", { customer: customerId });
  await payments.makeDefault(customerId, cardOfNowhere);
  await bill(3_000_000, { billedBefore: 4_000_000 });
  expect((await early())[0]).toMatchObject({ status: "paid", quantity: 3_000_000 });
  expect(await taxOf()).toMatchObject({ enabled: false });
});
