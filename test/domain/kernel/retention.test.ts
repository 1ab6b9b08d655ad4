import { expect, test } from "@jest/globals";
import { expiresAt, retentionMs, retentionText } from "../../../domain/kernel/retention.ts";

test("a record expires when its retention, counted from a given time, is over, in whole seconds", () => {
  expect(expiresAt({ days: 45 }, 1_500)).toBe(1 + 45 * 86_400);
  expect(expiresAt({ hours: 24 }, 0)).toBe(86_400);
  expect(retentionMs({ months: 25 })).toBe(25 * 31 * 86_400_000);
});

test("a retention is written in its own unit", () => {
  expect(retentionText({ months: 25 })).toBe("25 months");
  expect(retentionText({ days: 60, after: "the month" })).toBe("60 days after the month");
  expect(retentionText({ days: 1, after: "the last" })).toBe("1 day after the last");
});
