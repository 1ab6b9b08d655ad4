import { expect, test } from "@jest/globals";
import { ceilingAt, isEstablished, mostUsed, trialUse, unpaidLimit, unpaidOf } from "../../../domain/trust/trust.ts";

const terms = { trialCap: 50, firstWeek: 150, firstMonth: 500 };
const dayMs = 86_400_000;

test("the trial's cap may be unpaid before the first payment, and afterwards also four times the paid amount", () => {
  expect([0, 10, 100].map((paid) => unpaidLimit(50, { paid, settled: 0 }))).toEqual([50, 90, 450]);
});

test("usage that was settled without a payment is neither unpaid nor increases trust", () => {
  const trust = { paid: 10, settled: 40 };
  expect([unpaidLimit(50, trust), mostUsed(50, trust), unpaidOf(75, trust)]).toEqual([90, 140, 25]);
});

test("in the first week and month all usage counts towards the limit, paid or not", () => {
  const ceilings = [0, 7 * dayMs - 1, 7 * dayMs, 30 * dayMs - 1, 30 * dayMs];
  expect(ceilings.map((now) => ceilingAt(terms, 0, now))).toEqual([150, 150, 500, 500, undefined]);
  const limit = (paid: number, ceiling?: number) => unpaidLimit(50, { paid, settled: 0, ceiling });
  expect([limit(10, 150), limit(100, 150), limit(150, 150), limit(160, 150), limit(160, 500), limit(160)]).toEqual([
    90, 50, 0, 0, 340, 690,
  ]);
});

test("a part of the trial that other owners used lowers the owner's limit, but never below the paid amount", () => {
  const limit = (paid: number, taken: number) => unpaidLimit(50, { paid, settled: 0, taken });
  expect([limit(0, 30), limit(0, 80), limit(10, 80)]).toEqual([20, 0, 40]);
  const used = (drawn: number) => trialUse(drawn, { paid: 10, settled: 5 });
  expect([used(30), used(55), used(75)]).toEqual([0, 0, 20]);
});

test("an owner who has paid the cap ten times and is a month old has no limit", () => {
  expect([499, 500].map((paid) => isEstablished(terms, { paid, ceiling: undefined }))).toEqual([false, true]);
  expect(isEstablished(terms, { paid: 500, ceiling: 500 })).toBe(false);
});
