import { expect, test } from "@jest/globals";
import { billedMonth } from "../../../domain/billing/billed-month.ts";

test("an invoice from the first hours of a month bills the previous month, and a later invoice its own month", () => {
  const month = (time: string) => billedMonth({ createdAt: Date.parse(time) });
  expect([month("2026-12-01T00:00:05Z"), month("2026-12-15T00:00:00Z")]).toEqual(["2026-11", "2026-12"]);
});
