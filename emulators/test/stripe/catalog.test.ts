import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import StripeSdk from "stripe";
import { aMeteredPrice, type RunningStripe, startStripe } from "../support/local-stripe.ts";

let local: RunningStripe;
beforeEach(async () => {
  local = await startStripe();
});
afterEach(() => local.close());

describe("a price", () => {
  test("a price at Stripe is in USD for each unit, and is found by its lookup key", async () => {
    const { price, meter } = await aMeteredPrice(local.sdk);
    const { data } = await local.sdk.prices.list({ lookup_keys: ["usage_usd_1"] });
    expect(data.map(({ id }) => id)).toEqual([price.id]);
    expect(String(data[0]?.unit_amount_decimal)).toBe("100");
    expect(price.recurring).toMatchObject({ usage_type: "metered", meter: meter.id, interval: "month" });
  });

  test("a price at Stripe cannot take over another price's lookup key without transfer_lookup_key", async () => {
    const { product, meter, price } = await aMeteredPrice(local.sdk);
    const another = {
      currency: "usd",
      product: product.id,
      recurring: { interval: "month" as const, usage_type: "metered" as const, meter: meter.id },
      unit_amount_decimal: StripeSdk.Decimal.from("1"),
      lookup_key: "usage_usd_1",
    };
    await expect(local.sdk.prices.create(another)).rejects.toMatchObject({ statusCode: 400, param: "lookup_key" });
    const taken = await local.sdk.prices.create({ ...another, transfer_lookup_key: true });
    expect(taken.lookup_key).toBe("usage_usd_1");
    const { data } = await local.sdk.prices.list();
    expect(data.find(({ id }) => id === price.id)?.lookup_key).toBeNull();
  });

  test("a metered price at Stripe needs a meter", async () => {
    const { product } = await aMeteredPrice(local.sdk);
    const recurring = { interval: "month" as const, usage_type: "metered" as const };
    const base = { currency: "usd", product: product.id, unit_amount_decimal: StripeSdk.Decimal.from("1") };
    await expect(local.sdk.prices.create({ ...base, recurring })).rejects.toMatchObject({ code: "parameter_missing" });
    await expect(
      local.sdk.prices.create({ ...base, recurring: { ...recurring, meter: "mtr_unknown" } }),
    ).rejects.toMatchObject({ code: "resource_missing" });
  });
});

describe("a meter", () => {
  test("the event name of a meter at Stripe is unique", async () => {
    await aMeteredPrice(local.sdk);
    await expect(
      local.sdk.billing.meters.create({
        display_name: "Twice",
        event_name: "usage_usd_1",
        default_aggregation: { formula: "sum" },
      }),
    ).rejects.toMatchObject({ statusCode: 400, param: "event_name" });
  });
});
