import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../../support/billing/invoices.ts";

const dayMs = 86_400_000;
const good = "DE89370400440532013000";
const empty = "DE62370400440532013001";
const owner = { sub: "sub-1", email: "owner@acme.example" };

let local: RunningStripe;
let payments: PaymentProvider;
beforeEach(async () => {
  local = await startStripe("2027-01-10T11:20:00Z");
  await aMeteredPrice(local.sdk, 1);
  payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
});
afterEach(() => local.close());

/** A customer with this method, and an open invoice of 2 USD that was not tried. */
async function owing(number?: string) {
  const { id } = await payments.customer(owner);
  await payments.subscription({ customerId: id, tenantId: "t1", slot: 1, label: aLabel, automaticTax: false });
  if (number) {
    const url = await payments.setupPage({
      customerId: id,
      successUrl: "https://a.example",
      cancelUrl: "https://b.example",
    });
    await fetch(url, { method: "POST", body: new URLSearchParams({ number, country: "DE" }), redirect: "manual" });
    const [method] = await payments.paymentMethods(id);
    expect(method?.fingerprint).toBe(`local-D-${number.slice(-4)}`);
    await payments.makeDefault(id, method?.id ?? "");
  }
  await payments.addUsage({ customerId: id, tenantId: "t1", label: aLabel, draft: undefined, quantity: 2_000_000 });
  const [draft] = await payments.invoices(id);
  await payments.collect(draft?.id ?? "");
  return { customerId: id, invoiceId: draft?.id ?? "" };
}

/** The invoice with the id, or the newest one. */
const invoiceOf = async (customerId: string, invoiceId?: string) =>
  (await payments.invoices(customerId)).find(({ id }) => id === (invoiceId ?? id));

test("a debit is pending for days, during which another attempt does nothing, and then pays", async () => {
  const { customerId, invoiceId } = await owing(good);
  const processing = { status: "open", dueCents: 200, nextAttemptAt: undefined, isProcessing: true };
  expect(await invoiceOf(customerId)).toMatchObject(processing);
  await payments.collect(invoiceId);
  const { data } = await local.sdk.invoicePayments.list({ invoice: invoiceId });
  expect(data).toMatchObject([{ status: "open", amount_requested: 200, amount_paid: null }]);
  local.clock.advance(4 * dayMs);
  expect(await invoiceOf(customerId)).toMatchObject(processing);
  local.clock.advance(2 * dayMs);
  expect(await invoiceOf(customerId)).toMatchObject({ status: "paid", outsideCents: 0, isProcessing: false });
  expect(await payments.charges(customerId)).toMatchObject([{ paidCents: 200 }]);
});

test("a debit that fails is tried again, and the invoice stays open after the last attempt", async () => {
  const { customerId, invoiceId } = await owing(empty);
  local.clock.advance(6 * dayMs);
  expect(await invoiceOf(customerId, invoiceId)).toMatchObject({
    status: "open",
    isProcessing: false,
    nextAttemptAt: expect.any(Number),
  });
  for (let week = 0; week < 8; week++) {
    local.clock.advance(7 * dayMs);
    await invoiceOf(customerId, invoiceId);
  }
  expect(await invoiceOf(customerId, invoiceId)).toMatchObject({
    status: "open",
    isProcessing: false,
    nextAttemptAt: undefined,
  });
  expect(await payments.charges(customerId)).toEqual([]);
});

test("an invoice marked as paid out of band counts as paid outside Stripe; a voided invoice is no longer due", async () => {
  const { customerId, invoiceId } = await owing();
  await local.sdk.invoices.pay(invoiceId, { paid_out_of_band: true });
  expect(await invoiceOf(customerId)).toMatchObject({ status: "paid", outsideCents: 200, dueCents: 0 });
  await payments.addUsage({ customerId, tenantId: "t1", label: aLabel, draft: undefined, quantity: 3_000_000 });
  const second = (await invoiceOf(customerId))?.id ?? "";
  await payments.collect(second);
  await local.sdk.invoices.markUncollectible(second);
  expect(await invoiceOf(customerId)).toMatchObject({ status: "uncollectible" });
  await local.sdk.invoices.voidInvoice(second);
  expect(await invoiceOf(customerId)).toMatchObject({ status: "void", outsideCents: 0 });
  await expect(local.sdk.invoices.voidInvoice(invoiceId)).rejects.toThrow("paid");
});
