import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { aMeteredPrice, aSubscription, type RunningStripe, report, startStripe } from "../../support/local-stripe.ts";

let local: RunningStripe;
let customer: string;
beforeEach(async () => {
  local = await startStripe("2027-01-10T12:00:00Z");
  customer = (await aSubscription(local.sdk, (await aMeteredPrice(local.sdk)).price.id)).customer;
  local.clock.advance(3_600_000);
});
afterEach(() => local.close());

/** As the invoice of the month shows it. */
async function billed(time = "2027-02-01T00:10:00Z"): Promise<string> {
  local.until(time);
  const [invoice] = (await local.sdk.invoices.list({ customer })).data;
  return String(invoice?.lines.data[0]?.quantity_decimal);
}

test("a month's usage is the value with the latest timestamp, whenever it arrived", async () => {
  await report(local.sdk, customer, "2027-01-10T12:50:00Z", "7.000001");
  await report(local.sdk, customer, "2027-01-10T12:10:00Z", 5);
  expect(Number(await billed())).toBe(7.000001);
});

test("a month's usage is, by another reading of Stripe's rules, the value that arrived last", async () => {
  local.stripe.configure({ last_value_by: "received" });
  await report(local.sdk, customer, "2027-01-10T12:50:00Z", 7);
  local.clock.advance(1_000);
  await report(local.sdk, customer, "2027-01-10T12:10:00Z", 5);
  expect(Number(await billed())).toBe(5);
});

test("a draft invoice includes usage until it is final or, by another reading of Stripe's rules, for the grace period; usage appears after the lag", async () => {
  local.stripe.configure({ usage_lag_seconds: 900, grace_seconds: 3_600 });
  local.until("2027-02-01T00:05:00Z");
  const [invoice] = (await local.sdk.invoices.list({ customer })).data;
  await local.sdk.invoices.update(invoice?.id ?? "", { automatically_finalizes_at: Date.parse("2027-02-04") / 1000 });
  await report(local.sdk, customer, "2027-01-31T23:30:00Z", 3);
  expect(Number(await billed("2027-02-01T00:19:00Z"))).toBe(0);
  expect(Number(await billed("2027-02-01T00:21:00Z"))).toBe(3);
  local.until("2027-02-01T02:00:00Z");
  await report(local.sdk, customer, "2027-01-31T23:31:00Z", 4);
  expect(Number(await billed("2027-02-01T02:20:00Z"))).toBe(4);
  local.stripe.configure({ drafts_take_usage: "grace" });
  expect(Number(await billed("2027-02-01T02:21:00Z"))).toBe(3);
});

test("usage of a subscription's first hour, and fractions of a unit, are not billed by other readings of Stripe's rules", async () => {
  await report(local.sdk, customer, "2027-01-10T12:50:00Z", 7.9);
  local.stripe.configure({ whole_units: true });
  expect(Number(await billed())).toBe(7);
});

describe("what is refused at once", () => {
  test.each([
    ["older than 35 days", "2026-12-06T12:59:00Z", "1", "timestamp_too_far_in_past"],
    ["more than five minutes ahead", "2027-01-10T13:06:00Z", "1", "timestamp_in_future"],
    ["a negative value", "2027-01-10T11:00:00Z", "-1", "meter_event_invalid_value"],
    ["16 digits", "2027-01-10T11:00:00Z", "1234567890.123456", "meter_event_invalid_value"],
  ])("%s", async (_, timestamp, value, code) => {
    await expect(report(local.sdk, customer, timestamp, value)).rejects.toMatchObject({ statusCode: 400, code });
  });
});
