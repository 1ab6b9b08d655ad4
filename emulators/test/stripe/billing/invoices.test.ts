import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { aMeteredPrice, aSubscription, type RunningStripe, report, startStripe } from "../../support/local-stripe.ts";

let local: RunningStripe;
let price: string;
let customer: string;
let subscription: string;
beforeEach(async () => {
  local = await startStripe("2027-01-10T12:00:00Z");
  price = (await aMeteredPrice(local.sdk)).price.id;
  const made = await aSubscription(local.sdk, price);
  customer = made.customer;
  subscription = made.subscription.id;
});
afterEach(() => local.close());

const seconds = (time: string) => Date.parse(time) / 1000;

/** The newest invoice. */
async function latest() {
  const [invoice] = (await local.sdk.invoices.list({ customer })).data;
  if (!invoice) throw new Error("There is no invoice");
  return invoice;
}

async function addCard(id: "pm_card_visa" | "pm_card_chargeCustomerFail") {
  const method = await local.sdk.paymentMethods.attach(id, { customer });
  await local.sdk.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
  return method.id;
}

describe("a period's end", () => {
  test("the end of a period at Stripe creates a draft invoice, which includes usage of the period until it becomes final an hour later", async () => {
    await addCard("pm_card_visa");
    await report(local.sdk, customer, "2027-01-10T12:00:30Z", 1_000_000 / 1_000_000);
    local.until("2027-02-01T00:10Z");
    const draft = await latest();
    expect(draft).toMatchObject({ status: "draft", total: 100 });
    expect(draft.automatically_finalizes_at).toBe(seconds("2027-02-01T01:00Z"));
    expect(draft.parent?.subscription_details?.subscription).toBe(subscription);
    await report(local.sdk, customer, "2027-01-31T23:59:00Z", 1_500_000 / 1_000_000);
    await report(local.sdk, customer, "2027-02-01T00:00:00Z", 9_000_000 / 1_000_000);
    local.until("2027-02-01T01:00Z");
    expect(await latest()).toMatchObject({ status: "paid", total: 150, amount_paid: 150 });
    expect((await latest()).lines.data).toEqual([
      expect.objectContaining({
        quantity: 1,
        period: { start: expect.any(Number), end: seconds("2027-02-01T00:00Z") },
      }),
    ]);
  });

  test("the end of a period at Stripe can have a grace period, and usage that arrives after it does not count", async () => {
    await addCard("pm_card_visa");
    local.until("2027-02-01T00:10Z");
    const { id } = await latest();
    const at = seconds("2027-02-04T00:00Z");
    await local.sdk.invoices.update(id, { automatically_finalizes_at: at });
    local.until("2027-02-03T12:00Z");
    await report(local.sdk, customer, "2027-01-31T10:00:00Z", 1_000_000 / 1_000_000);
    local.until("2027-02-04T00:00Z");
    await report(local.sdk, customer, "2027-01-31T11:00:00Z", 1_000_000 / 1_000_000);
    expect(await local.sdk.invoices.retrieve(id)).toMatchObject({ status: "paid", total: 100 });
  });

  test("the end of a period at Stripe comes each month, however far the clock is advanced", async () => {
    await addCard("pm_card_visa");
    local.until("2027-06-02T00:00Z");
    const { data } = await local.sdk.invoices.list({ customer, subscription, limit: 100 });
    expect(data.map(({ created }) => new Date(created * 1000).toISOString().slice(0, 10))).toEqual([
      "2027-06-01",
      "2027-05-01",
      "2027-04-01",
      "2027-03-01",
      "2027-02-01",
    ]);
  });
});

describe("below the minimum charge", () => {
  test("an invoice is paid by card, or carried over on the balance while its amount is below the minimum", async () => {
    await addCard("pm_card_visa");
    local.until("2027-01-31T13:00Z");
    await report(local.sdk, customer, "2027-01-31T12:00:00Z", 300_000 / 1_000_000);
    local.until("2027-02-01T02:00Z");
    expect(await latest()).toMatchObject({ status: "paid", total: 30, amount_due: 0, amount_paid: 0 });
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({ balance: 30 });
    await report(local.sdk, customer, "2027-02-01T01:00:00Z", 300_000 / 1_000_000);
    local.until("2027-03-01T02:00Z");
    expect(await latest()).toMatchObject({ total: 30, starting_balance: 30, amount_paid: 60 });
    expect(await local.sdk.customers.retrieve(customer)).toMatchObject({ balance: 0 });
  });

  test("the lines of an invoice are rounded to whole cents", async () => {
    await report(local.sdk, customer, "2027-01-10T12:00:30Z", 1_004_999 / 1_000_000);
    local.until("2027-02-01T00:10Z");
    expect(await latest()).toMatchObject({ total: 100, lines: { data: [{ quantity: 1, amount: 100 }] } });
  });
});

describe("collecting", () => {
  beforeEach(async () => {
    await report(local.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
  });

  test("an invoice without a card fails once, and is not tried again", async () => {
    local.until("2027-02-20T00:00Z");
    const open = await latest();
    expect(open).toMatchObject({ status: "open", attempt_count: 1, next_payment_attempt: null, amount_due: 200 });
    expect((await local.sdk.subscriptions.retrieve(subscription)).status).toBe("past_due");
    await expect(local.sdk.invoices.pay(open.id)).rejects.toMatchObject({ statusCode: 400 });
    await addCard("pm_card_visa");
    local.clock.advance(86_400_000);
    expect((await latest()).status).toBe("open");
    expect((await local.sdk.invoices.pay(open.id)).status).toBe("paid");
    expect((await local.sdk.subscriptions.retrieve(subscription)).status).toBe("active");
    await expect(local.sdk.invoices.pay(open.id)).rejects.toThrow("Invoice is already paid");
  });

  test("an invoice with a card that declines is tried again for some days, and then left past due", async () => {
    await addCard("pm_card_chargeCustomerFail");
    local.until("2027-02-01T01:00Z");
    const attempts = [];
    for (let invoice = await latest(); ; invoice = await latest()) {
      attempts.push(invoice.next_payment_attempt);
      if (invoice.next_payment_attempt === null) break;
      local.until(new Date(invoice.next_payment_attempt * 1000).toISOString());
    }
    expect(attempts).toEqual([
      seconds("2027-02-04T01:00Z"),
      seconds("2027-02-09T01:00Z"),
      seconds("2027-02-16T01:00Z"),
      null,
    ]);
    expect(await latest()).toMatchObject({ status: "open", attempt_count: 4 });
    expect((await local.sdk.subscriptions.retrieve(subscription)).status).toBe("past_due");
    await expect(local.sdk.invoices.pay((await latest()).id)).rejects.toMatchObject({
      type: "StripeCardError",
      code: "card_declined",
    });
  });

  test("the collection of an invoice continues when auto_advance is set again", async () => {
    await addCard("pm_card_chargeCustomerFail");
    local.until("2027-02-01T01:00Z");
    const { id } = await latest();
    await local.sdk.invoices.update(id, { auto_advance: false });
    await addCard("pm_card_visa");
    await local.sdk.invoices.update(id, { auto_advance: true });
    local.clock.advance(3_600_000);
    expect((await latest()).status).toBe("paid");
  });
});

describe("a draft that nobody advances", () => {
  test("a draft invoice without auto_advance can be made final and paid by hand", async () => {
    await addCard("pm_card_visa");
    await report(local.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
    local.clock.advance(60_000);
    await local.sdk.subscriptions.cancel(subscription, { invoice_now: true });
    const { id } = await latest();
    expect(await local.sdk.invoices.finalizeInvoice(id)).toMatchObject({ status: "open", auto_advance: false });
    expect((await local.sdk.invoices.pay(id)).status).toBe("paid");
    await expect(local.sdk.invoices.finalizeInvoice(id)).rejects.toMatchObject({
      statusCode: 400,
      code: undefined,
      message: "This invoice is already finalized, you can't re-finalize a non-draft invoice.",
    });
  });
});

test("a draft invoice that is made final by hand is not charged at once, but an hour later if it has auto_advance", async () => {
  await report(local.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
  await addCard("pm_card_visa");
  local.until("2027-02-01T00:10Z");
  const { id } = await latest();
  const final = await local.sdk.invoices.finalizeInvoice(id, { auto_advance: true });
  expect(final).toMatchObject({ status: "open", attempt_count: 0 });
  local.clock.advance(3_600_000);
  expect((await latest()).status).toBe("paid");
});

test("attempts to pay an invoice by hand do not count after the first, and do not move the planned attempts", async () => {
  await report(local.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
  await addCard("pm_card_chargeCustomerFail");
  local.until("2027-02-01T01:00Z");
  const { id, attempt_count, next_payment_attempt } = await latest();
  expect(attempt_count).toBe(1);
  await expect(local.sdk.invoices.pay(id)).rejects.toMatchObject({ code: "card_declined" });
  expect(await latest()).toMatchObject({ attempt_count, next_payment_attempt });
});

describe("automatic tax", () => {
  const taxed = { automatic_tax: { enabled: true } };
  const unknown = { statusCode: 400, code: "customer_tax_location_invalid" };
  beforeEach(async () => {
    await local.sdk.customers.update(customer, { address: { country: "DE" } });
    await local.sdk.subscriptions.update(subscription, taxed);
  });

  test("making an invoice with automatic tax final by hand fails without an address, and works once there is one", async () => {
    local.until("2027-02-01T00:10Z");
    await local.sdk.customers.update(customer, { address: "" });
    const { id } = await latest();
    await expect(local.sdk.invoices.finalizeInvoice(id)).rejects.toMatchObject(unknown);
    expect(await latest()).toMatchObject({
      status: "draft",
      automatic_tax: { status: "requires_location_inputs" },
    });
    await local.sdk.customers.update(customer, { address: { country: "DE" } });
    expect((await local.sdk.invoices.finalizeInvoice(id)).status).toBe("paid");
  });

  test("automatic tax is turned off for a draft invoice whose customer has no longer an address", async () => {
    local.until("2027-02-01T00:10Z");
    await local.sdk.customers.update(customer, { address: "" });
    local.until("2027-02-01T02:00Z");
    expect(await latest()).toMatchObject({ status: "paid", automatic_tax: { enabled: false } });
    expect((await local.sdk.subscriptions.retrieve(subscription)).automatic_tax.enabled).toBe(false);
    await expect(local.sdk.subscriptions.update(subscription, taxed)).rejects.toMatchObject(unknown);
  });

  test.each([
    [{ country: "US" }, false],
    [{ country: "US", postal_code: "97712" }, true],
    [{ country: "CA" }, false],
    [{ country: "CA", state: "ON" }, true],
    [{ country: "FR" }, true],
  ])("automatic tax of an invoice recognizes the location %o: %s", async (address, isKnown) => {
    const { id } = await local.sdk.customers.create({ address });
    const price = (await local.sdk.prices.list()).data[0]?.id ?? "";
    const made = aSubscription(local.sdk, price, id, taxed);
    if (isKnown) await expect(made).resolves.toMatchObject({ subscription: { automatic_tax: { enabled: true } } });
    else await expect(made).rejects.toMatchObject(unknown);
  });
});
