import { expect, test } from "@jest/globals";
import { firstFullDay, forecast, spentAt } from "../../../console/charts/forecast.ts";

test("two full days are too few for a forecast", () => {
  expect(forecast(20, [10, 10], 28)).toBeUndefined();
});

test("a month's forecast is the amount spent, plus the mean of the last seven full days for each remaining day", () => {
  expect(forecast(100, [90, 0, 0, 0, 0, 0, 0, 7], 20)).toEqual({ month: 100 + 20, dailyMean: 1 });
});

test.each([
  ["of before the month", "2026-10-03T09:00:00.000Z", "2026-11-01"],
  ["of the month", "2026-11-03T09:00:00.000Z", "2026-11-04"],
  ["of the month's last day", "2026-11-30T23:59:59.000Z", "2026-12-01"],
])("the full days of a workspace that is %s begin after its first day", (_when, createdAt, expected) => {
  expect(firstFullDay("2026-11-01", createdAt)).toBe(expected);
});

const now = Date.UTC(2026, 10, 10);
const resetsAt = Date.UTC(2026, 11, 1);

test("the console names the day on which a budget will be used up at the present pace", () => {
  expect(spentAt(now, 90, 10, resetsAt)).toBe(Date.UTC(2026, 10, 19));
});

test.each([
  ["lasts until it resets", 900, 10],
  ["is not used", 90, 0],
])("the console names no day for a budget that %s", (_why, left, dailyMean) => {
  expect(spentAt(now, left, dailyMean, resetsAt)).toBeUndefined();
});
