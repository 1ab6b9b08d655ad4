import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { hourOf, monthOf, nextMonth, startOfHour, startOfMonth } from "../../../domain/kernel/period.ts";

const at = (text: string) => Date.parse(text);

describe("the last millisecond of a month", () => {
  test.each([
    ["2026-11-30T23:59:59.999Z", "2026-11", "2026-11-30T23", "2026-12-01T00:00:00.000Z"],
    ["2026-12-31T23:59:59.999Z", "2026-12", "2026-12-31T23", "2027-01-01T00:00:00.000Z"],
    ["2028-02-29T23:59:59.999Z", "2028-02", "2028-02-29T23", "2028-03-01T00:00:00.000Z"],
  ])("the last millisecond of a month, %s, is in that month and hour", (time, month, hour, next) => {
    expect([monthOf(at(time)), hourOf(at(time)), new Date(nextMonth(at(time))).toISOString()]).toEqual([
      month,
      hour,
      next,
    ]);
  });
});

test("the first millisecond of a month belongs to that month", () => {
  expect(monthOf(at("2026-12-01T00:00:00.000Z"))).toBe("2026-12");
  expect(hourOf(at("2026-12-01T00:00:00.000Z"))).toBe("2026-12-01T00");
});

test("the next month begins after every time of this month, and is another month", () => {
  const times = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2099-01-01T00:00:00Z") });
  fc.assert(
    fc.property(times, (time) => {
      const next = nextMonth(time);
      expect(next).toBeGreaterThan(time);
      expect(monthOf(next)).not.toBe(monthOf(time));
      expect(monthOf(next - 1)).toBe(monthOf(time));
      expect(hourOf(time).startsWith(monthOf(time))).toBe(true);
    }),
  );
});

test("an hour and a month begin with their first millisecond", () => {
  expect(new Date(startOfHour("2026-11-21T05")).toISOString()).toBe("2026-11-21T05:00:00.000Z");
  expect(new Date(startOfMonth("2028-02")).toISOString()).toBe("2028-02-01T00:00:00.000Z");
  expect(hourOf(startOfHour("2026-12-31T23"))).toBe("2026-12-31T23");
});
