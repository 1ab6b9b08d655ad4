// What is spent and what is left of a caller's monthly budget, as the control plane shows it.
import * as z from "zod";
import type { Spending } from "../budget/spending.ts";
import { parseUsd, usdNumber } from "../kernel/money.ts";
import { monthOf, nextMonth } from "../kernel/period.ts";

export const monthSpendingSchema = z.object({
  spent_usd: z.number().describe("Amount spent in this calendar month (UTC), in USD"),
  reserved_usd: z.number().describe("The most that the calls in flight may cost, in USD"),
  resets_at: z.iso.datetime().describe("When the next month's budget begins"),
});

export const monthBudgetSchema = monthSpendingSchema.extend({
  month: z.string().describe("The calendar month (UTC), e.g. `2026-11`"),
  limit_usd: z
    .number()
    .optional()
    .describe("Budget of the month, in USD. Missing for a caller without a budget, e.g. an owner without a grant"),
  left_usd: z
    .number()
    .optional()
    .describe("Amount that is neither spent nor reserved, in USD. Missing for a caller without a budget"),
});

/** @param now in milliseconds */
export function monthSpending({ spent, reservations }: Spending, now: number) {
  return {
    spent_usd: usdNumber(spent),
    reserved_usd: usdNumber(reserved(reservations)),
    resets_at: new Date(nextMonth(now)).toISOString(),
  };
}

/**
 * @param limit decimal USD; undefined for none
 * @param now in milliseconds
 */
export function monthBudget(spending: Spending, limit: number | undefined, now: number) {
  const taken = spending.spent + reserved(spending.reservations);
  return {
    ...monthSpending(spending, now),
    month: monthOf(now),
    ...(limit !== undefined && { limit_usd: limit, left_usd: usdNumber(Math.max(0, parseUsd(limit) - taken)) }),
  };
}

function reserved(reservations: Spending["reservations"]): number {
  return reservations.reduce((sum, { amount }) => sum + amount, 0);
}
