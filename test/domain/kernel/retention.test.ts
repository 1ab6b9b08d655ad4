import { expect, test } from "@jest/globals";
import { expiresAt, retentionMs, retentionText } from "../../../domain/kernel/retention.ts";

test("a record expires its retention after the time that it counts from, in whole seconds", () => {
  expect(expiresAt("ledger", 1_500)).toBe(1 + 45 * 86_400);
  expect(expiresAt("idempotency", 0)).toBe(86_400);
  expect(retentionMs("rollup")).toBe(25 * 31 * 86_400_000);
});

test("a retention is told in its own unit", () => {
  expect(retentionText("rollup")).toBe("25 months");
  expect(retentionText("meterProgress")).toBe("60 days after the month");
  expect(retentionText("waitingRoom")).toBe("1 day after the last");
});

test("the ledger outlives the latest usage that it has to correct, and a report outlives the ledger", () => {
  expect(retentionMs("ledger")).toBeGreaterThan(retentionMs("lateUsage"));
  expect(retentionMs("report")).toBeGreaterThan(retentionMs("ledger"));
  expect(retentionMs("meterProgress")).toBeGreaterThan(retentionMs("ledger"));
});
