import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import StripeSdk from "stripe";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import { PaymentError, type PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import {
  aMeteredPrice,
  aSubscription,
  type RunningStripe,
  startStripe,
} from "../../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../../support/billing/invoices.ts";

const owner = { sub: "sub-1", email: "owner@acme.example" };
const { Decimal } = StripeSdk;

let local: RunningStripe;
let payments: PaymentProvider;
beforeEach(async () => {
  local = await startStripe("2027-01-10T11:20:00Z");
  await aMeteredPrice(local.sdk, 1);
  await aMeteredPrice(local.sdk, 2);
  payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
});
afterEach(() => local.close());

function subscribe(customerId: string, tenantId = "t1", slot = 1) {
  return payments.subscription({ customerId, tenantId, slot, label: aLabel, automaticTax: false });
}

function report(customerId: string, value: number, at = Math.floor(local.clock.now() / 1000) * 1000) {
  return payments.report({ customerId, slot: 1, at, value });
}

/** As on Checkout's page. @returns the method, if the card was taken */
async function addCard(customerId: string, number: string) {
  const page = await payments.setupPage({
    customerId,
    successUrl: "https://a.example",
    cancelUrl: "https://b.example",
  });
  await fetch(page, {
    method: "POST",
    body: new URLSearchParams({ number, expiry: "12/34", name: "Ada", country: "DE" }),
    redirect: "manual",
  });
  return (await payments.paymentMethods(customerId)).map(({ id }) => id)[0];
}

const pagesOf = (customerId: string) => ({
  customerId,
  successUrl: "https://a.example",
  cancelUrl: "https://b.example",
});

describe("an owner's customer", () => {
  test("an owner's customer is found again, even after idempotency keys have expired, and the customer of another owner with the same address is not taken", async () => {
    const first = await payments.customer(owner);
    expect(first).toEqual({ id: first.id, email: owner.email, defaultPaymentMethod: undefined, balanceCents: 0 });
    local.clock.advance(2 * 86_400_000);
    expect((await payments.customer(owner)).id).toBe(first.id);
    expect((await payments.customer({ ...owner, sub: "sub-2" })).id).not.toBe(first.id);
  });

  test("an owner's customer is created again after it was deleted, even on the same day", async () => {
    const { id } = await payments.customer(owner);
    await payments.deleteCustomer(id);
    await payments.deleteCustomer(id);
    expect(await payments.customerById(id)).toBeUndefined();
    const again = await payments.customer(owner);
    expect(again.id).not.toBe(id);
    expect(await payments.customerById(again.id)).toEqual(again);
  });
});

describe("a workspace's subscription", () => {
  test("a workspace's subscription has the price of its slot, until the month's end, and exists once", async () => {
    const { id } = await payments.customer(owner);
    const first = await subscribe(id);
    expect(first).toMatchObject({ status: "active", periodEndsAt: Date.parse("2027-02-01T00:00Z") });
    expect(first.startedAt).toBe(Math.floor(local.clock.now() / 1000) * 1000);
    const second = await subscribe(id, "t2", 2);
    local.clock.advance(2 * 86_400_000);
    expect([(await subscribe(id)).id, (await subscribe(id, "t2", 2)).id]).toEqual([first.id, second.id]);
    const { data } = await local.sdk.subscriptions.list({ customer: id });
    expect(data.map(({ items }) => items.data[0]?.price.lookup_key)).toEqual(["usage_usd_2", "usage_usd_1"]);
  });

  test("a workspace's subscription that has ended is not replaced by a new one", async () => {
    const { id } = await payments.customer(owner);
    const first = await subscribe(id);
    await payments.cancel(first.id);
    await payments.cancel(first.id);
    expect(await subscribe(id)).toMatchObject({ id: first.id, status: "canceled" });
    expect(await payments.subscriptionById(first.id)).toMatchObject({ id: first.id, status: "canceled" });
    expect(await payments.subscriptionById("sub_nobody")).toBeUndefined();
  });

  test("a workspace's subscription is refused if the customer has another currency", async () => {
    const { id } = await payments.customer(owner);
    const { price } = await aMeteredPrice(local.sdk, 3, "eur");
    await aSubscription(local.sdk, price.id, id);
    expect((await local.sdk.customers.retrieve(id)) as object).toMatchObject({ currency: "eur" });
    await expect(subscribe(id)).rejects.toBeInstanceOf(PaymentError);
    await expect(subscribe(id)).rejects.toMatchObject({ code: "currency_mismatch" });
  });

  describe("with automatic tax", () => {
    const taxed = async (id: string) => {
      const { automatic_tax } = await local.sdk.subscriptions.retrieve(id);
      return automatic_tax.enabled;
    };
    const wanted = { tenantId: "t1", slot: 1, label: aLabel, automaticTax: true };

    test("a subscription begins without automatic tax while the customer's address is unknown, and with automatic tax once it is known", async () => {
      const { id: customerId } = await payments.customer(owner);
      const { id } = await payments.subscription({ customerId, ...wanted });
      expect([await taxed(id), await payments.applyTax(customerId)]).toEqual([false, false]);
      await local.sdk.customers.update(customerId, { address: { country: "DE" } });
      expect([await payments.applyTax(customerId), await taxed(id)]).toEqual([true, true]);
      const next = await payments.subscription({ customerId, ...wanted, tenantId: "t2", slot: 2 });
      expect(await taxed(next.id)).toBe(true);
    });

    test("automatic tax can be turned on for a subscription with a draft invoice, and a second time changes nothing", async () => {
      const { id: customerId } = await payments.customer(owner);
      await payments.subscription({ customerId, ...wanted });
      local.until("2027-02-01T00:01Z");
      await local.sdk.customers.update(customerId, { address: { country: "DE" } });
      expect(await payments.applyTax(customerId)).toBe(true);
      const { data } = await local.sdk.invoices.list({ customer: customerId });
      expect(data).toMatchObject([{ status: "draft", automatic_tax: { enabled: true } }]);
      const updates = () => local.calls.all().filter(({ operation }) => operation.endsWith(".update")).length;
      const before = updates();
      expect(await payments.applyTax(customerId)).toBe(true);
      expect(updates()).toBe(before);
    });

    test.each(["before", "after"] as const)(
      "automatic tax of a subscription is on after a repeat if turning it on failed %s it took effect",
      async (when) => {
        const { id: customerId } = await payments.customer(owner);
        await local.sdk.customers.update(customerId, { address: { country: "DE" } });
        local.fail({ service: "stripe", operation: "subscriptions.update", kind: "error", when });
        const subscribe = () => payments.subscription({ customerId, ...wanted });
        await expect(subscribe()).rejects.toMatchObject({ code: "payments_unavailable" });
        const { id } = await subscribe();
        expect(await taxed(id)).toBe(true);
        expect((await local.sdk.subscriptions.list({ customer: customerId })).data).toHaveLength(1);
      },
    );

    test("a subscription is collected without tax at its end if the address was removed", async () => {
      const { id: customerId } = await payments.customer(owner);
      await local.sdk.customers.update(customerId, { address: { country: "DE" } });
      const { id } = await payments.subscription({ customerId, ...wanted });
      await report(customerId, 3_000_000);
      local.clock.advance(60_000);
      await payments.cancel(id);
      await local.sdk.customers.update(customerId, { address: "" });
      const [draft] = await payments.invoices(customerId);
      expect(draft?.status).toBe("draft");
      expect(await payments.collect(draft?.id ?? "")).toMatchObject({ status: "open", dueCents: 300 });
    });
  });

  test("a workspace's subscription with a slot that the account was not set up for is refused by name", async () => {
    const { id } = await payments.customer(owner);
    await expect(subscribe(id, "t1", 9)).rejects.toMatchObject({
      name: "PaymentError",
      code: "price_missing",
      param: "usage_usd_9",
    });
  });
});

describe("each effect, made to fail", () => {
  const effects = ["customers.create", "subscriptions.create"];
  const faults = [
    ["error", "before"],
    ["error", "after"],
    ["throttle", "before"],
    ["cut", "before"],
    ["cut", "after"],
  ] as const;
  const cases = effects.flatMap((operation) => faults.map(([kind, when]) => ({ operation, kind, when })));

  test.each(cases)(
    "repeating a failed call to Stripe leaves one object of each kind: $operation $kind $when",
    async ({ operation, kind, when }) => {
      // Twice, since the SDK itself repeats what was cut off once.
      local.fail({ service: "stripe", operation, kind, when, times: 2 });
      for (let attempt = 0; attempt < 4; attempt += 1) {
        await payments
          .customer(owner)
          .then(({ id }) => subscribe(id))
          .catch((error) => {
            expect(error).toMatchObject({ code: "payments_unavailable" });
          });
      }
      const { data: customers } = await local.sdk.customers.list();
      expect(customers).toHaveLength(1);
      expect((await local.sdk.subscriptions.list({ status: "all" })).data).toHaveLength(1);
    },
  );
});

describe("setting up payment", () => {
  test("setting up payment stores a payment method, which becomes the default in a later step", async () => {
    const { id } = await payments.customer(owner);
    const method = (await addCard(id, "4242424242424242")) ?? "";
    expect((await payments.customerById(id))?.defaultPaymentMethod).toBeUndefined();
    await payments.makeDefault(id, method);
    expect((await payments.customerById(id))?.defaultPaymentMethod).toBe(method);
  });

  test("setting up payment with a declined card stores no payment method", async () => {
    const { id } = await payments.customer(owner);
    expect(await addCard(id, "4000000000000002")).toBeUndefined();
  });

  test("setting up payment asks for the company's details for invoices, and stores them on the customer", async () => {
    const { id } = await payments.customer(owner);
    const url = await payments.setupPage(pagesOf(id));
    const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };
    const body = new URLSearchParams({ ...card, company: "Acme GmbH", tax_id: "DE123456789" });
    await fetch(url, { method: "POST", body, redirect: "manual" });
    expect(await local.sdk.customers.retrieve(id)).toMatchObject({
      name: "Acme GmbH",
      address: { country: "DE" },
      tax_ids: { data: [{ value: "DE123456789" }] },
    });
  });

  test("setting up payment opens without the tax id if Stripe does not accept it in this mode", async () => {
    const { id } = await payments.customer(owner);
    local.stripe.configure({ setup_takes_tax_id: false });
    const url = await payments.setupPage(pagesOf(id));
    const page = await (await fetch(url)).text();
    expect([page.includes('name="country"'), page.includes('name="tax_id"')]).toEqual([true, false]);
  });

  test("setting up payment opens without name, address and tax id if Stripe stores none of them in this mode", async () => {
    const { id } = await payments.customer(owner);
    local.stripe.configure({ setup_updates_customer: false });
    expect(await addCard(id, "4242424242424242")).toBeDefined();
  });

  test("the portal opens with the configuration that Stripe's setup created", async () => {
    const { id } = await payments.customer(owner);
    const wanted = { customerId: id, returnUrl: "https://console.example" };
    await expect(payments.portalPage(wanted)).rejects.toBeInstanceOf(PaymentError);
    await local.sdk.billingPortal.configurations.create({
      features: { payment_method_update: { enabled: true } },
      metadata: { archway: "portal" },
    });
    const url = await payments.portalPage(wanted);
    expect(await (await fetch(url)).text()).toContain("Add a payment method");
  });
});

describe("a month's usage", () => {
  let customer: string;
  beforeEach(async () => {
    customer = (await payments.customer(owner)).id;
    await subscribe(customer);
  });
  const draft = async () => {
    local.until("2027-02-01T00:10Z");
    return (await payments.invoices(customer))[0];
  };

  test("a month's usage is the meter's last value, to the micro-USD", async () => {
    await report(customer, 7_000_000);
    local.clock.advance(60_000);
    await report(customer, 5_123_456);
    expect(await draft()).toMatchObject({ tenantId: "t1", quantity: 5_123_456, totalCents: 512 });
  });

  test("a month's usage is refused if it is older than 35 days", async () => {
    const at = local.clock.now();
    local.clock.advance(36 * 86_400_000);
    await expect(report(customer, 5, at)).rejects.toMatchObject({ code: "timestamp_too_far_in_past" });
  });

  test.each([1.5, -1, 2 ** 53, Number.NaN])("%p is refused as a month's usage", async (value) => {
    await expect(report(customer, value)).rejects.toBeInstanceOf(RangeError);
  });

  test.each(["before", "after"] as const)(
    "a month's usage is sent again and counted once if its answer is lost %s its effect",
    async (when) => {
      local.fail({ service: "stripe", operation: "v2.billing.meterEvents.create", kind: "error", when });
      await expect(report(customer, 5_000_000)).rejects.toBeInstanceOf(Refusal);
      await report(customer, 5_000_000);
      expect((await draft())?.quantity).toBe(5_000_000);
    },
  );

  test("a month's usage is corrected on a draft by an item, upwards and downwards; items that people add do not count as usage", async () => {
    await report(customer, 5_000_000);
    const made = await draft();
    const wanted = { customerId: customer, tenantId: "t1", label: aLabel, draft: made };
    await payments.addUsage({ ...wanted, quantity: 250_001 });
    await payments.addUsage({ ...wanted, quantity: 250_001 });
    await payments.addUsage({ ...wanted, quantity: -1_000_000 });
    const byHand = { currency: "usd", quantity_decimal: Decimal.from("3"), unit_amount_decimal: Decimal.from("100") };
    await local.sdk.invoiceItems.create({ customer, invoice: made?.id ?? "", ...byHand });
    expect((await payments.invoices(customer))[0]).toMatchObject({ quantity: 4_250_001, totalCents: 725 });
  });

  test("a month's usage is on invoices that name the workspace, with its name at that time; drafts follow a new name", async () => {
    await report(customer, 5_000_000);
    const label = { workspace: "Acme Größe (acme-groesse)", purchaseOrder: "PO-1" };
    const { id = "" } = (await payments.findSubscription({ customerId: customer, tenantId: "t1" })) ?? {};
    expect((await draft())?.label).toEqual(aLabel);
    await payments.relabel(id, label);
    expect([(await draft())?.label, (await payments.subscriptionById(id))?.label]).toEqual([label, label]);
    expect((await local.sdk.subscriptions.retrieve(id)).description).toBe("Workspace Acme Größe (acme-groesse)");
    await payments.addUsage({ customerId: customer, tenantId: "t1", label, draft: undefined, quantity: 2_000_000 });
    expect((await payments.invoices(customer))[0]?.label).toEqual(label);
  });

  test("a month's usage without a draft gets an invoice of its own", async () => {
    await payments.addUsage({
      customerId: customer,
      tenantId: "t1",
      label: aLabel,
      draft: undefined,
      quantity: 2_000_000,
    });
    const [made] = await payments.invoices(customer);
    expect(made).toMatchObject({ tenantId: "t1", subscriptionId: undefined, status: "draft", quantity: 2_000_000 });
    expect(await payments.collect(made?.id ?? "")).toMatchObject({ status: "open", dueCents: 200 });
  });
});

describe("what is open at the end", () => {
  test("usage at a workspace's end is billed when the subscription is cancelled, and the invoice is made final and collected", async () => {
    const { id } = await payments.customer(owner);
    const subscription = await subscribe(id);
    await payments.makeDefault(id, (await addCard(id, "4242424242424242")) ?? "");
    local.clock.advance(3_600_000);
    await report(id, 2_000_000);
    await payments.cancel(subscription.id);
    const [draft] = await payments.invoices(id);
    expect(draft).toMatchObject({
      status: "draft",
      quantity: 2_000_000,
      totalCents: 200,
      subscriptionId: subscription.id,
      finalizesAt: undefined,
    });
    // Two runs at once: the slower one finds it final.
    const collected = await Promise.all([1, 2].map(() => payments.collect(draft?.id ?? "")));
    for (const one of collected) expect(one).toMatchObject({ status: "paid", dueCents: 0 });
    expect(await payments.collect(draft?.id ?? "")).toMatchObject({ status: "paid" });
    expect(local.stripe.account.charges.all()).toHaveLength(1);
  });

  test.each([
    ["without a card", undefined],
    ["with one that declines", "4000000000000341"],
  ])("usage at a workspace's end stays open %s", async (_, number) => {
    const { id } = await payments.customer(owner);
    await subscribe(id);
    const method = number && (await addCard(id, number));
    if (method) await payments.makeDefault(id, method);
    local.clock.advance(3_600_000);
    await report(id, 2_000_000);
    local.until("2027-02-01T00:10Z");
    const [draft] = await payments.invoices(id);
    const at = Date.parse("2027-02-04T00:00Z");
    await payments.holdDraft(draft?.id ?? "", at);
    expect((await payments.invoices(id))[0]).toMatchObject({ status: "draft", finalizesAt: at });
    expect(await payments.collect(draft?.id ?? "")).toMatchObject({ status: "open", dueCents: 200 });
  });
});

describe("what is told of a failure", () => {
  test("the message of a payment failure contains no key and no text from Stripe", async () => {
    const wrong = stripePayments({ secretKey: "rk_live_SECRET", address: local.url });
    const error = (await wrong.customer(owner).catch((caught) => caught)) as PaymentError;
    expect(error).toBeInstanceOf(PaymentError);
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack} ${error.cause}`).not.toContain("SECRET");
    expect(error.message).toMatch(/req_/);
  });

  test("a call to Stripe that is not answered in time is an outage, and the next attempt finds its effect", async () => {
    const impatient = stripePayments({ secretKey: "sk_test_local", address: local.url, timeoutMs: 200 });
    local.fail({ service: "stripe", operation: "customers.create", kind: "hang", when: "after" });
    await expect(impatient.customer(owner)).rejects.toMatchObject({ code: "payments_unavailable" });
    local.fail();
    const { id } = await payments.customer(owner);
    expect(local.stripe.account.customers.all().map(({ customer }) => customer.id)).toEqual([id]);
  });

  test("an address of Stripe where no server listens is an outage", async () => {
    const nowhere = stripePayments({ secretKey: "sk_test_local", address: "http://127.0.0.1:9" });
    await expect(nowhere.customer(owner)).rejects.toMatchObject({ code: "payments_unavailable" });
  });
});
