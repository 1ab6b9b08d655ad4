import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  aMeteredPrice,
  aSubscription,
  type RunningStripe,
  report,
  startStripe,
} from "../../../support/billing/local-stripe.ts";

let local: RunningStripe;
let meter: string;
let customer: string;
beforeEach(async () => {
  local = await startStripe("2027-01-10T12:00:00Z");
  const priced = await aMeteredPrice(local.sdk);
  meter = priced.meter.id;
  customer = (await aSubscription(local.sdk, priced.price.id)).customer;
});
afterEach(() => local.close());

async function hours(from: string, to: string): Promise<Record<string, number>> {
  const { data } = await local.sdk.billing.meters.listEventSummaries(meter, {
    customer,
    start_time: Date.parse(from) / 1000,
    end_time: Date.parse(to) / 1000,
    value_grouping_window: "hour",
    limit: 100,
  });
  return Object.fromEntries(
    data.map((one) => [new Date(one.start_time * 1000).toISOString().slice(11, 13), one.aggregated_value]),
  );
}

describe("with an hourly window", () => {
  test("the last event received of an hour counts, whatever its stamp", async () => {
    await report(local.sdk, customer, "2027-01-10T10:50:00Z", 5);
    await report(local.sdk, customer, "2027-01-10T10:10:00Z", 7);
    await report(local.sdk, customer, "2027-01-10T11:10:00Z", 1);
    expect(await hours("2027-01-10T00:00Z", "2027-01-11T00:00Z")).toEqual({ "10": 7, "11": 1 });
  });

  test("a summary without a grouping is one sum", async () => {
    await report(local.sdk, customer, "2027-01-10T10:50:00Z", 5);
    await report(local.sdk, customer, "2027-01-10T11:10:00Z", 7);
    const { data } = await local.sdk.billing.meters.listEventSummaries(meter, {
      customer,
      start_time: Date.parse("2027-01-10T10:00Z") / 1000,
      end_time: Date.parse("2027-01-10T12:00Z") / 1000,
    });
    expect(data).toEqual([expect.objectContaining({ aggregated_value: 12, meter })]);
  });

  test("a summary's bounds lie at hours", async () => {
    await expect(hours("2027-01-10T10:30Z", "2027-01-10T12:00Z")).rejects.toMatchObject({ param: "start_time" });
  });
});

test("usage shows after the lag", async () => {
  local.stripe.configure({ usage_lag_seconds: 90 });
  await report(local.sdk, customer, "2027-01-10T11:00:00Z", 5);
  expect(await hours("2027-01-10T11:00Z", "2027-01-10T12:00Z")).toEqual({});
  local.clock.advance(91_000);
  expect(await hours("2027-01-10T11:00Z", "2027-01-10T12:00Z")).toEqual({ "11": 5 });
});

describe("an identifier", () => {
  test("is taken for a day, under another idempotency key too", async () => {
    await report(local.sdk, customer, "2027-01-10T11:00:00Z", 5, "t-2027-01-10T11");
    await expect(report(local.sdk, customer, "2027-01-10T11:00:00Z", 6, "t-2027-01-10T11")).rejects.toMatchObject({
      statusCode: 400,
      message: "An event already exists with identifier t-2027-01-10T11.",
    });
    local.clock.advance(86_400_000);
    await report(local.sdk, customer, "2027-01-10T11:00:00Z", 6, "t-2027-01-10T11");
    expect(await hours("2027-01-10T11:00Z", "2027-01-10T12:00Z")).toEqual({ "11": 6 });
  });
});

describe("what is refused at once", () => {
  test.each([
    ["older than 35 days", "2026-12-06T11:59:00Z", "1", "timestamp_too_far_in_past"],
    ["more than five minutes ahead", "2027-01-10T12:06:00Z", "1", "timestamp_in_future"],
    ["a fraction", "2027-01-10T11:00:00Z", "1.5", "meter_event_invalid_value"],
    ["16 digits", "2027-01-10T11:00:00Z", "1234567890123456", "meter_event_invalid_value"],
  ])("%s", async (_, timestamp, value, code) => {
    await expect(report(local.sdk, customer, timestamp, value)).rejects.toMatchObject({ statusCode: 400, code });
  });

  test("35 days, five minutes, 15 digits and a negative number pass", async () => {
    await report(local.sdk, customer, "2026-12-06T12:01:00Z", "123456789012345");
    await report(local.sdk, customer, "2027-01-10T12:04:00Z", "-3");
    expect(await hours("2026-12-06T12:00Z", "2027-01-11T00:00Z")).toEqual({ "12": 123456789012345 });
  });
});

test("a second call for the same customer and meter at the same time is refused", async () => {
  local.fail({
    service: "stripe",
    operation: "v2.billing.meterEvents.create",
    when: "before",
    kind: "delay",
    milliseconds: 200,
  });
  const first = report(local.sdk, customer, "2027-01-10T11:00:00Z", 1);
  const refused = await Promise.allSettled([first, report(local.sdk, customer, "2027-01-10T10:00:00Z", 1)]);
  expect(refused.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(refused.find(({ status }) => status === "rejected")).toMatchObject({ reason: { statusCode: 429 } });
});
