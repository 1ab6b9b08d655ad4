import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { aMeteredPrice, aSubscription, type RunningStripe, report, startStripe } from "../../support/local-stripe.ts";

let local: RunningStripe;
let customer: string;
let price: string;
beforeEach(async () => {
  local = await startStripe("2027-01-10T12:00:00Z");
  price = (await aMeteredPrice(local.sdk)).price.id;
  customer = (await aSubscription(local.sdk, price)).customer;
});
afterEach(() => local.close());

const good = { number: "4242 4242 4242 4242", expiry: "12/34", name: "Ada" };

function send(url: string | null, fields: Record<string, string>): Promise<Response> {
  return fetch(url ?? "", { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
}

function aSession(more: object = {}) {
  return local.sdk.checkout.sessions.create({
    mode: "setup",
    currency: "usd",
    customer,
    success_url: "https://console.example/billing?session={CHECKOUT_SESSION_ID}",
    cancel_url: "https://console.example/billing",
    ...more,
  });
}

describe("Checkout", () => {
  test("Stripe's Checkout shows a form, and a card that works completes the session and leads back to the site", async () => {
    const session = await aSession();
    const page = await (await fetch(session.url ?? "")).text();
    expect(page).toContain('<label for="number">');
    expect(page).toContain('href="https://console.example/billing"');
    const answer = await send(session.url, good);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`https://console.example/billing?session=${session.id}`);
    const done = await local.sdk.checkout.sessions.retrieve(session.id);
    expect(done).toMatchObject({ status: "complete", url: null });
    const intent = await local.sdk.setupIntents.retrieve(String(done.setup_intent));
    expect(intent.customer).toBe(customer);
    const method = await local.sdk.paymentMethods.retrieve(String(intent.payment_method));
    expect(method).toMatchObject({ customer, card: { last4: "4242", brand: "visa" } });
    // Stripe makes it no default.
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    });
  });

  test.each([
    ["a declined card", "4000000000000002", 402, "Your card was declined."],
    ["a number that is no test card", "4111111111111111", 402, "non test card"],
    ["half a number", "4242", 400, "incomplete"],
  ])("%s is reported on Stripe's page, and the session stays open", async (_, number, status, words) => {
    const session = await aSession();
    const answer = await send(session.url, { ...good, number });
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(words);
    expect((await local.sdk.checkout.sessions.retrieve(session.id)).status).toBe("open");
    expect((await local.sdk.customers.listPaymentMethods(customer)).data).toEqual([]);
  });

  test("Stripe's Checkout asks for the country if an address is required, and stores it", async () => {
    const session = await aSession({ billing_address_collection: "required", customer_update: { address: "auto" } });
    expect(await (await fetch(session.url ?? "")).text()).toContain('name="country"');
    await send(session.url, { ...good, country: "DE" });
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({ address: { country: "DE" } });
  });

  test.each([[{}], [{ country: "Germany" }]])(
    "Stripe's Checkout refuses a card without a required address: %o",
    async (address) => {
      const session = await aSession({ billing_address_collection: "required" });
      const answer = await send(session.url, { ...good, ...address });
      expect([answer.status, (await local.sdk.checkout.sessions.retrieve(session.id)).status]).toEqual([400, "open"]);
    },
  );

  test("Stripe's Checkout stores an address only if the session says so", async () => {
    const session = await aSession({ billing_address_collection: "required" });
    await send(session.url, { ...good, country: "DE" });
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({ address: null });
  });

  test("Stripe's Checkout session expires after a day, and accepts only one card", async () => {
    const [late, done] = [await aSession(), await aSession()];
    await send(done.url, good);
    local.clock.advance(86_401_000);
    expect([(await send(late.url, good)).status, (await send(done.url, good)).status]).toEqual([410, 200]);
    expect((await local.sdk.checkout.sessions.retrieve(late.id)).status).toBe("expired");
    expect((await local.sdk.customers.listPaymentMethods(customer)).data).toHaveLength(1);
  });
});

describe("the portal", () => {
  const return_url = "https://console.example/billing";

  async function aPortal() {
    const configuration = await local.sdk.billingPortal.configurations.create({
      features: { payment_method_update: { enabled: true }, invoice_history: { enabled: true } },
    });
    expect(configuration.features.subscription_cancel.enabled).toBe(false);
    return local.sdk.billingPortal.sessions.create({ customer, configuration: configuration.id, return_url });
  }

  test("Stripe's portal adds a card as the default, makes another card the default, and removes one", async () => {
    const { url } = await aPortal();
    await send(url, { action: "add", ...good });
    await send(url, { action: "add", ...good, number: "5555555555554444" });
    const [second, first] = (await local.sdk.customers.listPaymentMethods(customer)).data;
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: second?.id },
    });
    expect(await (await fetch(url)).text()).toContain("mastercard ending in 4444 (default)");
    await send(url, { action: "default", method: first?.id ?? "" });
    await send(url, { action: "remove", method: second?.id ?? "" });
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: first?.id },
    });
    expect((await send(url, { action: "add", ...good, number: "4000000000000002" })).status).toBe(402);
  });

  test("Stripe's portal shows the invoices, and leads back to the site", async () => {
    await report(local.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
    local.until("2027-02-01T02:00Z");
    const { url } = await aPortal();
    const page = await (await fetch(url)).text();
    expect(page).toContain("2.00 USD open");
    expect(page).toContain('href="https://console.example/billing"');
    const [invoice] = (await local.sdk.invoices.list({ customer })).data;
    expect(await (await fetch(invoice?.hosted_invoice_url ?? "")).text()).toContain("2.000000 units, 2.00 USD");
  });

  test("a session of Stripe's portal needs a configuration, has to be opened within five minutes, and lasts an hour", async () => {
    await expect(local.sdk.billingPortal.sessions.create({ customer, return_url })).rejects.toThrow(
      "No configuration provided",
    );
    const [opened, forgotten] = [await aPortal(), await aPortal()];
    expect((await fetch(opened.url)).status).toBe(200);
    local.clock.advance(301_000);
    expect((await fetch(forgotten.url)).status).toBe(404);
    expect((await fetch(opened.url)).status).toBe(200);
    local.clock.advance(3_301_000);
    expect((await fetch(opened.url)).status).toBe(404);
  });
});

test("Stripe's dashboard cancels a subscription without an invoice, and deletes a customer", async () => {
  const url = `${local.url}/dashboard`;
  const running = () => local.sdk.subscriptions.list({ customer });
  const [subscription] = (await running()).data;
  expect(await (await fetch(url)).text()).toContain(`${subscription?.id}: usage_usd_1, active`);
  expect((await send(url, { action: "cancel", id: subscription?.id ?? "" })).headers.get("location")).toBe(url);
  expect((await running()).data).toEqual([]);
  expect((await local.sdk.invoices.list({ customer })).data).toEqual([]);
  await send(url, { action: "delete", id: customer });
  expect(await local.sdk.customers.retrieve(customer)).toMatchObject({ deleted: true });
  expect((await send(url, { action: "delete", id: customer })).status).toBe(404);
});

test("an unknown page of Stripe says so, and escapes all text", async () => {
  const answer = await fetch(`${local.url}/c/pay/%3Cscript%3E`);
  expect(answer.status).toBe(404);
  expect(await answer.text()).not.toContain("<script>");
});
