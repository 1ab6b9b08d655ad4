import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import StripeSdk from "stripe";
import { Store } from "../../store.ts";
import { aMeteredPrice, aSubscription, type RunningStripe, report, startStripe } from "../support/local-stripe.ts";

let local: RunningStripe;
beforeEach(async () => {
  local = await startStripe();
});
afterEach(() => local.close());

const names = async () => (await local.sdk.customers.list()).data.map(({ name }) => name);

describe("an idempotency key", () => {
  const key = { idempotencyKey: "owner-1" };

  test("an idempotency key of Stripe repeats the first answer for a day, and is then forgotten", async () => {
    const first = await local.sdk.customers.create({ name: "A" }, key);
    const again = await local.sdk.customers.create({ name: "A" }, key);
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
    local.clock.advance(86_400_000);
    expect((await local.sdk.customers.create({ name: "A" }, key)).id).not.toBe(first.id);
  });

  test("an idempotency key of Stripe is refused for a different request", async () => {
    await local.sdk.customers.create({ name: "A" }, key);
    await expect(local.sdk.customers.create({ name: "B" }, key)).rejects.toMatchObject({
      type: "StripeIdempotencyError",
    });
  });

  test("an idempotency key of Stripe repeats a 500, too, in v1", async () => {
    local.fail({ service: "stripe", operation: "customers.create", when: "before", kind: "error" });
    for (const _ of ["the first", "the replay"]) {
      await expect(local.sdk.customers.create({ name: "A" }, key)).rejects.toMatchObject({ statusCode: 500 });
    }
    expect(await names()).toEqual([]);
  });

  test("a Stripe request with the same idempotency key is carried out again after a 500 in v2", async () => {
    const { price } = await aMeteredPrice(local.sdk);
    const { customer } = await aSubscription(local.sdk, price.id);
    local.fail({ service: "stripe", operation: "v2.billing.meterEvents.create", when: "before", kind: "error" });
    const send = () =>
      local.sdk.v2.billing.meterEvents.create(
        { event_name: "usage_usd_1", payload: { stripe_customer_id: customer, value: "1" } },
        key,
      );
    await expect(send()).rejects.toMatchObject({ statusCode: 500 });
    const { identifier } = await send();
    expect((await send()).identifier).toBe(identifier);
  });

  test("an idempotency key of Stripe is not used up by a request with a wrong parameter", async () => {
    await expect(local.sdk.rawRequest("POST", "/v1/customers", { nmae: "A" }, key)).rejects.toMatchObject({
      code: "parameter_unknown",
      param: "nmae",
    });
    await expect(local.sdk.customers.create({ name: "A" }, key)).resolves.toBeDefined();
  });

  test("an idempotency key of Stripe whose request is in progress is answered with a conflict", async () => {
    local.fail({ service: "stripe", operation: "customers.create", when: "before", kind: "delay", milliseconds: 200 });
    const both = await Promise.allSettled([
      local.sdk.customers.create({ name: "A" }, key),
      local.sdk.customers.create({ name: "A" }, key),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({ reason: { statusCode: 409 } });
  });
});

describe("a fault", () => {
  test.each([
    ["error", "before", 0],
    ["error", "after", 1],
    ["throttle", "before", 0],
  ] as const)("a fault of Stripe is %s %s the call takes effect", async (kind, when, made) => {
    local.fail({ service: "stripe", operation: "customers.create", when, kind });
    await expect(local.sdk.customers.create({})).rejects.toMatchObject({ statusCode: kind === "throttle" ? 429 : 500 });
    expect(await names()).toHaveLength(made);
    expect(local.calls.all()[0]).toMatchObject({
      service: "stripe",
      operation: "customers.create",
      fault: `${kind} ${when}`,
    });
  });

  test("a fault of Stripe that cuts off the answer leaves the effect, and a repeat with the same idempotency key finds it", async () => {
    local.fail({ service: "stripe", operation: "customers.create", when: "after", kind: "cut" });
    // The SDK itself sends a request again once whose connection was closed.
    await expect(local.sdk.customers.create({ name: "A" })).resolves.toMatchObject({ name: "A" });
    expect(await names()).toEqual(["A"]);
    expect(local.calls.all().filter(({ operation }) => operation === "customers.create")).toHaveLength(2);
  });

  test("a fault of Stripe that cuts the connection before the effect leaves nothing", async () => {
    local.fail({ service: "stripe", operation: "customers.create", when: "before", kind: "cut", times: 2 });
    await expect(local.sdk.customers.create({})).rejects.toMatchObject({ type: "StripeConnectionError" });
    expect(await names()).toEqual([]);
  });
});

describe("errors have Stripe's shape", () => {
  test("an unknown object is an error in Stripe's shape", async () => {
    await expect(local.sdk.customers.retrieve("cus_none")).rejects.toMatchObject({
      type: "StripeInvalidRequestError",
      code: "resource_missing",
      statusCode: 404,
      message: "No such customer: 'cus_none'",
    });
  });

  test("a path that is not emulated, and an API key of another kind, are errors in Stripe's shape", async () => {
    await expect(local.sdk.coupons.list()).rejects.toThrow("local stack does not emulate");
    const { port } = new URL(local.url);
    const live = new StripeSdk("sk_live_x", { host: "127.0.0.1", port: Number(port), protocol: "http" });
    await expect(live.customers.list()).rejects.toMatchObject({ type: "StripeAuthenticationError" });
  });

  test("a missing or wrong parameter is an error in Stripe's shape", async () => {
    await expect(local.sdk.rawRequest("POST", "/v1/prices", { currency: "usd" })).rejects.toMatchObject({
      param: "product",
    });
    await expect(local.sdk.customers.list({ limit: 1_000 })).rejects.toMatchObject({ param: "limit" });
  });
});

test("lists of Stripe come newest first, a page at a time", async () => {
  for (const name of ["A", "B", "C", "D"]) await local.sdk.customers.create({ name });
  const first = await local.sdk.customers.list({ limit: 3 });
  expect([first.data.map(({ name }) => name), first.has_more]).toEqual([["D", "C", "B"], true]);
  const all: (string | null | undefined)[] = [];
  for await (const { name } of local.sdk.customers.list({ limit: 3 })) all.push(name);
  expect(all).toEqual(["D", "C", "B", "A"]);
});

test("Stripe's state survives a restart, with its scheduled events", async () => {
  const store = new Store(":memory:");
  const close = store.close.bind(store);
  store.close = () => {};
  const before = await startStripe("2027-01-10T12:00:00Z", store);
  const { price } = await aMeteredPrice(before.sdk);
  const { customer } = await aSubscription(before.sdk, price.id);
  await report(before.sdk, customer, "2027-01-10T12:00:30Z", 2_000_000 / 1_000_000);
  await before.close();
  const after = await startStripe("2027-02-01T00:30:00Z", store);
  expect((await after.sdk.invoices.list({ customer })).data).toMatchObject([{ status: "draft", total: 200 }]);
  await after.close();
  close();
});
