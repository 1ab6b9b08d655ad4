import { expect, jest, test } from "@jest/globals";
import { CurrentLimits } from "../../../domain/budget/current-limits.ts";
import type { Limits } from "../../../domain/budget/spending.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";

const limits = (cap: number): Limits => ({
  cap,
  enforcement: "reserved",
  maxInFlight: 2,
  rate: { burst: 1, perMinute: 60 },
});
const refusal = new Refusal("budget_exceeded", "The monthly budget is spent");

test("a refusal stands if the limits are the same past every cache, which are read once", async () => {
  const read = jest.fn(async () => limits(1));
  const known = new CurrentLimits(limits(1), read);
  await expect(known.refuse(refusal)).rejects.toBe(refusal);
  await expect(known.refuse(refusal)).rejects.toBe(refusal);
  expect(read).toHaveBeenCalledTimes(1);
});

test("a refusal by limits that were changed does not stand, the next one does", async () => {
  const known = new CurrentLimits(limits(1), async () => limits(2));
  await known.refuse(refusal);
  expect([known.value.cap, known.isFresh]).toEqual([2, true]);
  await expect(known.refuse(refusal)).rejects.toBe(refusal);
});

test("limits that cannot be read are the reader's error", async () => {
  const outage = new Refusal("store_unavailable", "The store does not answer");
  const known = new CurrentLimits(limits(1), () => Promise.reject(outage));
  await expect(known.refuse(refusal)).rejects.toBe(outage);
});
