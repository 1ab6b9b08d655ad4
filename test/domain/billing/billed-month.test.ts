import { expect, test } from "@jest/globals";
import { billedMonth } from "../../../domain/billing/billed-month.ts";

test("an invoice from a month's first hours bills the month before, and a later one its own month", () => {
  const month = (time: string) => billedMonth({ createdAt: Date.parse(time) });
  expect([month("2026-12-01T00:00:05Z"), month("2026-12-15T00:00:00Z")]).toEqual(["2026-11", "2026-12"]);
});
