import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import StripeSdk from "stripe";
import { type AccountSetup, SetupConflict, setUpAccount } from "../../../adapters/stripe/account-setup.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { WebhookSecret } from "../../../domain/billing/webhook-secret.ts";
import { type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../../support/billing/invoices.ts";

let local: RunningStripe;
let kept: WebhookSecret | undefined;
let storeFails: boolean;
beforeEach(async () => {
  local = await startStripe();
  [kept, storeFails] = [undefined, false];
});
afterEach(() => local.close());

function setUp(change: Partial<AccountSetup> = {}) {
  return setUpAccount(
    { secretKey: "sk_test_local", address: local.url },
    {
      slots: 2,
      webhookUrl: "https://api.example.com/v1/webhooks/stripe",
      secrets: {
        get: async () => kept,
        put: async (secret) => {
          if (storeFails) throw new Error("denied");
          kept = secret;
        },
      },
      ...change,
    },
  );
}

const outcomes = async (change?: Partial<AccountSetup>) =>
  Object.fromEntries((await setUp(change)).map(({ what, outcome }) => [what, outcome]));

const destinations = async () => (await local.sdk.v2.core.eventDestinations.list()).data;

test("Stripe's setup creates a product, a meter and a price for each slot, a portal and a webhook, and a second run creates nothing", async () => {
  const first = await setUp();
  expect(first.map(({ what, outcome }) => `${outcome} ${what}`)).toEqual([
    "made product",
    "made meter usage_usd_1",
    "made price usage_usd_1",
    "made meter usage_usd_2",
    "made price usage_usd_2",
    "made portal",
    "made webhook",
  ]);
  expect(await setUp()).toEqual(first.map((step) => ({ ...step, outcome: "there" })));
  expect(await destinations()).toHaveLength(1);
  expect((await local.sdk.billingPortal.configurations.list()).data).toHaveLength(1);
});

test("the payment provider works with the result of Stripe's setup", async () => {
  await setUp();
  const payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  const { id } = await payments.customer({ sub: "s", email: "a@b.example" });
  await payments.subscription({ customerId: id, tenantId: "t", slot: 2, label: aLabel, automaticTax: false });
  const url = await payments.portalPage({ customerId: id, returnUrl: "https://console.example.com" });
  expect(await (await fetch(url)).text()).toContain("Add a payment method");
});

test("Stripe's setup adds slots for more workspaces, and restores a portal that was changed by hand", async () => {
  await setUp();
  const [portal] = (await local.sdk.billingPortal.configurations.list()).data;
  const features = { subscription_cancel: { enabled: true } };
  await local.sdk.billingPortal.configurations.update(portal?.id ?? "", { features });
  expect(await outcomes({ slots: 3 })).toMatchObject({
    "meter usage_usd_2": "there",
    "meter usage_usd_3": "made",
    "price usage_usd_3": "made",
    portal: "changed",
    webhook: "there",
  });
});

test("two stacks in one account share everything except the webhook, and a person of both is two customers", async () => {
  const first = await setUp();
  let other: WebhookSecret | undefined;
  const second = {
    webhookUrl: "https://api.second.example/v1/webhooks/stripe",
    secrets: {
      get: async () => other,
      put: async (secret: WebhookSecret) => {
        other = secret;
      },
    },
  };
  const shared = first.slice(0, -1).map((step) => ({ ...step, outcome: "there" }));
  expect((await setUp(second)).slice(0, -1)).toEqual(shared);
  // Neither takes anything from the other, however often each is set up.
  for (const change of [{}, second]) expect(Object.values(await outcomes(change))).toEqual(Array(7).fill("there"));
  expect(await destinations()).toHaveLength(2);
  expect(other?.signingSecret).not.toBe(kept?.signingSecret);

  const payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  const customers = [];
  for (const sub of ["of-the-first-pool", "of-the-second-pool"]) {
    const { id } = await payments.customer({ sub, email: "ada@acme.example" });
    await payments.subscription({ customerId: id, tenantId: sub, slot: 1, label: aLabel, automaticTax: false });
    customers.push(id);
  }
  const [one = "", two = ""] = customers;
  await payments.report({ customerId: one, slot: 1, at: local.clock.now(), value: 2_000_000 });
  local.until("2027-02-01T00:10Z");
  const billed = async (id: string) => (await payments.invoices(id)).map(({ quantity }) => quantity);
  expect([await billed(one), await billed(two)]).toEqual([[2_000_000], [0]]);
});

describe("the webhook's secret", () => {
  test("the webhook's secret is stored with its destination", async () => {
    await setUp();
    const [destination] = await destinations();
    expect(kept).toEqual({ destinationId: destination?.id, signingSecret: expect.stringMatching(/^whsec_/) });
  });

  test("a webhook's secret that cannot be stored leaves no destination", async () => {
    storeFails = true;
    await expect(setUp()).rejects.toThrow("denied");
    expect(await destinations()).toEqual([]);
    storeFails = false;
    expect(await outcomes()).toMatchObject({ webhook: "made", portal: "there" });
  });

  test("a lost webhook's secret is replaced, with its destination", async () => {
    await setUp();
    const before = kept;
    kept = undefined;
    expect(await outcomes()).toMatchObject({ webhook: "made" });
    const [{ id } = {}, ...others] = await destinations();
    expect([kept, others]).toEqual([{ destinationId: id, signingSecret: expect.any(String) }, []]);
    expect(kept).not.toEqual(before);
  });

  test("a webhook's secret that was rolled in the dashboard is replaced on demand", async () => {
    await setUp();
    const rolled = { destinationId: kept?.destinationId ?? "", signingSecret: "whsec_before_it_was_rolled" };
    kept = rolled;
    expect([await outcomes(), kept]).toMatchObject([{ webhook: "there" }, rolled]);
    expect(await outcomes({ isWebhookReplaced: true })).toMatchObject({ product: "there", webhook: "made" });
    const [{ id } = {}, ...others] = await destinations();
    const { secret } = local.stripe.account.destinations.get(id ?? "") ?? {};
    expect([kept, others]).toEqual([{ destinationId: id, signingSecret: secret }, []]);
  });

  test("the webhook's secret is looked up before anything is created", async () => {
    const secrets = { get: () => Promise.reject(new Error("no credentials")), put: async () => {} };
    await expect(setUp({ secrets })).rejects.toThrow("no credentials");
    expect(local.stripe.account.products.all()).toEqual([]);
  });
});

test("a later run of the setup adds new event types to the webhook destination", async () => {
  await setUp();
  const [{ id = "" } = {}] = await destinations();
  await local.sdk.v2.core.eventDestinations.update(id, { enabled_events: ["v1.invoice.paid"] });
  expect(await outcomes()).toMatchObject({ webhook: "changed" });
  expect((await destinations())[0]?.enabled_events).toContain("v1.billing.meter.no_meter_found");
});

test("a failed run of Stripe's setup is completed by the next run", async () => {
  for (const operation of [
    "products.create",
    "billing.meters.create",
    "prices.create",
    "billingPortal.configurations.create",
    "v2.core.eventDestinations.create",
  ]) {
    for (const when of ["before", "after"] as const) {
      local.fail({ service: "stripe", operation, when, kind: "error" });
      await setUp().catch(() => {});
    }
  }
  local.fail();
  await setUp();
  expect((await local.sdk.billing.meters.list()).data).toHaveLength(2);
  expect((await local.sdk.prices.list()).data).toHaveLength(2);
  expect(await destinations()).toHaveLength(1);
});

describe("what has our names and is another thing", () => {
  const aMeter = (formula: "sum" | "last") =>
    local.sdk.billing.meters.create({
      display_name: "Theirs",
      event_name: "usage_usd_1",
      default_aggregation: { formula },
    });

  test("a meter at Stripe that sums up is refused", async () => {
    await aMeter("sum");
    await expect(setUp()).rejects.toThrow(SetupConflict);
  });

  test("a price at Stripe with another amount is refused", async () => {
    const { id: meter } = await aMeter("last");
    const { id: product } = await local.sdk.products.create({ name: "Theirs" });
    const recurring = { interval: "month", usage_type: "metered", meter } as const;
    const unit_amount_decimal = StripeSdk.Decimal.from("1");
    await local.sdk.prices.create({
      currency: "usd",
      product,
      recurring,
      unit_amount_decimal,
      lookup_key: "usage_usd_1",
    });
    await expect(setUp()).rejects.toThrow("The price");
  });
});
