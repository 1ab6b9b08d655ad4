import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { aMeteredPrice, aSubscription, type RunningStripe, report, startStripe } from "../../support/local-stripe.ts";

let local: RunningStripe;
let price: string;
beforeEach(async () => {
  local = await startStripe("2027-01-10T12:00:00Z");
  price = (await aMeteredPrice(local.sdk)).price.id;
});
afterEach(() => local.close());

const seconds = (time: string) => Date.parse(time) / 1000;

describe("a metered subscription", () => {
  test("a metered subscription is active without a card and without a first invoice, and its period ends on the first of the month", async () => {
    const { subscription, customer } = await aSubscription(local.sdk, price);
    expect(subscription).toMatchObject({
      status: "active",
      latest_invoice: null,
      billing_mode: { type: "flexible" },
      billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
    });
    expect(subscription.items.data[0]?.current_period_end).toBe(seconds("2027-02-01T00:00Z"));
    expect((await local.sdk.customers.retrieve(customer)) as object).toMatchObject({ currency: "usd", balance: 0 });
  });

  test("a metered subscription is found by its customer, a cancelled one only if requested", async () => {
    const { subscription, customer } = await aSubscription(local.sdk, price);
    await local.sdk.subscriptions.cancel(subscription.id);
    expect((await local.sdk.subscriptions.list({ customer })).data).toEqual([]);
    expect((await local.sdk.subscriptions.list({ customer, status: "all" })).data).toHaveLength(1);
    await expect(local.sdk.subscriptions.cancel(subscription.id)).rejects.toMatchObject({ statusCode: 404 });
  });

  test("a metered subscription keeps its metadata, and loses a key that is set to an empty value", async () => {
    const { subscription } = await aSubscription(local.sdk, price);
    await local.sdk.subscriptions.update(subscription.id, { metadata: { tenant: "t", slot: "1" } });
    await local.sdk.subscriptions.update(subscription.id, { metadata: { slot: "" } });
    expect((await local.sdk.subscriptions.retrieve(subscription.id)).metadata).toEqual({ tenant: "t" });
  });

  test("a metered subscription cannot have another currency than the customer's other subscriptions", async () => {
    const { customer } = await aSubscription(local.sdk, price);
    const euros = await aMeteredPrice(local.sdk, 2, "eur");
    await expect(aSubscription(local.sdk, euros.price.id, customer)).rejects.toThrow("cannot combine currencies");
  });
});

describe("cancelling", () => {
  test("cancelling a subscription with invoice_now bills the usage that is aggregated by then, and nothing later", async () => {
    const { subscription, customer } = await aSubscription(local.sdk, price);
    local.clock.advance(3_600_000);
    await report(local.sdk, customer, "2027-01-10T12:30:00Z", 2_000_000 / 1_000_000);
    const ended = await local.sdk.subscriptions.cancel(subscription.id, { invoice_now: true });
    expect(ended.status).toBe("canceled");
    const [invoice] = (await local.sdk.invoices.list({ customer })).data;
    expect(invoice).toMatchObject({ status: "draft", auto_advance: false, total: 200 });
    local.until("2027-03-01T00:00Z");
    expect((await local.sdk.invoices.list({ customer })).data).toHaveLength(1);
  });

  test("cancelling a subscription with invoice_now leaves out usage that is not aggregated yet, and without invoice_now makes no invoice", async () => {
    local.stripe.configure({ usage_lag_seconds: 60 });
    for (const invoice_now of [false, true]) {
      const { subscription, customer } = await aSubscription(local.sdk, price);
      await report(local.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
      await local.sdk.subscriptions.cancel(subscription.id, { invoice_now });
      const { data } = await local.sdk.invoices.list({ customer });
      expect(data.map(({ total }) => total)).toEqual(invoice_now ? [0] : []);
    }
  });

  test("cancelling a subscription stops the collection of all final invoices of the customer", async () => {
    const { subscription, customer } = await aSubscription(local.sdk, price);
    const method = await local.sdk.paymentMethods.attach("pm_card_chargeCustomerFail", { customer });
    await local.sdk.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
    await report(local.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
    local.until("2027-02-01T02:00Z");
    const [open] = (await local.sdk.invoices.list({ customer, status: "open" })).data;
    expect(open?.next_payment_attempt).toBe(seconds("2027-02-04T01:00Z"));
    await local.sdk.subscriptions.cancel(subscription.id);
    expect(await local.sdk.invoices.retrieve(open?.id ?? "")).toMatchObject({
      auto_advance: false,
      next_payment_attempt: null,
    });
  });
});

describe("a deleted customer", () => {
  test("deleting a customer ends its subscriptions without an invoice, and leaves a stub", async () => {
    const { subscription, customer } = await aSubscription(local.sdk, price);
    await local.sdk.customers.del(customer);
    expect((await local.sdk.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({ id: customer, deleted: true });
    await expect(local.sdk.customers.update(customer, { name: "x" })).rejects.toMatchObject({ statusCode: 404 });
    expect((await local.sdk.customers.list({ email: "owner@acme.example" })).data).toEqual([]);
  });
});
