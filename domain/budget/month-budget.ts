// What is spent and what is left of a caller's monthly budget, as the control plane shows it.
import * as z from "zod";
import { parseUsd, usdNumber } from "../kernel/money.ts";
import { monthOf, nextMonth } from "../kernel/period.ts";
import type { Spending } from "./spending.ts";

export const monthSpendingSchema = z.object({
  /** Settled. Decimal USD, as all amounts here. */
  spent_usd: z.number(),
  /** The most that the calls in flight may cost. */
  reserved_usd: z.number(),
  /** When the budget starts anew. */
  resets_at: z.iso.datetime(),
});

export const monthBudgetSchema = monthSpendingSchema.extend({
  month: z.string(),
  /** Null without a limit, as for an owner without a grant. */
  limit_usd: z.number().nullable(),
  /** Neither spent nor reserved. */
  left_usd: z.number().nullable(),
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
    limit_usd: limit ?? null,
    left_usd: limit === undefined ? null : usdNumber(Math.max(0, parseUsd(limit) - taken)),
  };
}

function reserved(reservations: Spending["reservations"]): number {
  return reservations.reduce((sum, { amount }) => sum + amount, 0);
}
