// What a month will come to, and when a budget will be spent, if the last seven full days go on.
import { dayMs } from "./period.ts";

/** The first day of a month in which there was a workspace from its beginning to its end. Days are written as the API does. */
export function firstFullDay(month: string, createdAt: string): string {
  const after = new Date(Date.parse(createdAt) + dayMs).toISOString().slice(0, 10);
  return after > month ? after : month;
}

export type Forecast = { month: number; dailyMean: number };

/**
 * @param days the cost of each full day of the month so far, oldest first
 * @returns undefined before three full days: a mean of fewer says nothing
 */
export function forecast(spent: number, days: readonly number[], daysLeft: number): Forecast | undefined {
  if (days.length < 3) return undefined;
  const last = days.slice(-7);
  const dailyMean = last.reduce((sum, cost) => sum + cost, 0) / last.length;
  return { month: spent + dailyMean * daysLeft, dailyMean };
}

/** The time at which the budget will be spent; undefined if it lasts until it resets. */
export function spentAt(now: number, left: number, dailyMean: number, resetsAt: number): number | undefined {
  if (dailyMean <= 0) return undefined;
  const at = now + (left / dailyMean) * dayMs;
  return at < resetsAt ? at : undefined;
}
