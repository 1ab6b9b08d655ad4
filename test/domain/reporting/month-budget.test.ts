import { expect, test } from "@jest/globals";
import { nothingSpent, type Spending } from "../../../domain/budget/spending.ts";
import { monthBudget, monthSpending } from "../../../domain/reporting/month-budget.ts";

const usd = 1_000_000_000;
const now = Date.parse("2026-11-21T05:00:00Z");
const resets_at = "2026-12-01T00:00:00.000Z";

function spendingOf(spent: number, ...amounts: number[]): Spending {
  const reservation = {
    ...{ version: 1, leaseEndsAt: now, admittedAt: now, profile: "p", region: "r", onCredit: false },
    bounds: { input: 1, output: 1 },
  };
  const reservations = amounts.map((amount, index) => ({
    ...{ ...reservation, requestId: `r${index}`, amount, overdraft: index > 0 },
  }));
  return { ...nothingSpent, spent, committed: spent + (amounts[0] ?? 0), inflight: amounts.length, reservations };
}

test("the reserved amount is the most that calls in flight may cost, including the overdraft", () => {
  const spending = spendingOf(2 * usd, usd / 4, 3 * usd);
  expect(monthSpending(spending, now)).toEqual({ spent_usd: 2, reserved_usd: 3.25, resets_at });
});

test("the remaining budget is neither spent nor reserved, and never below 0", () => {
  expect(monthBudget(spendingOf(2 * usd, usd / 4), 10, now)).toEqual({
    ...{ month: "2026-11", spent_usd: 2, reserved_usd: 0.25, limit_usd: 10, left_usd: 7.75, resets_at },
  });
  expect(monthBudget(spendingOf(9 * usd, 0, 3 * usd), 10, now)).toMatchObject({ left_usd: 0, limit_usd: 10 });
});

test("a caller without a budget has no remaining amount", () => {
  const budget = monthBudget(nothingSpent, undefined, now);
  expect(budget).toMatchObject({ spent_usd: 0 });
  expect(Object.keys(budget)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(limit|left)_usd$/)]));
});
