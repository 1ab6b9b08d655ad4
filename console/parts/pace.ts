// How fast each caller spends: the mean of the last full days, by which it is told when a budget will be spent.

import { useWorkspace } from "../app/page.ts";
import { platformNow } from "../app/platform.ts";
import { useRead } from "../app/query.ts";
import { firstFullDay } from "../charts/forecast.ts";
import { dayMs } from "../charts/period.ts";
import { isoDay, monthOf } from "./time.tsx";

/** Seven days of this month at most, and three at least: a mean of fewer says nothing. */
function lastFullDays(now: number, createdAt: string) {
  const to = isoDay(now);
  const from = [isoDay(now - 7 * dayMs), firstFullDay(monthOf(now).from, createdAt)].sort().at(-1) ?? to;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs;
  return { from, to, days };
}

/** @param isNeeded false asks nothing @returns USD a day of a caller; undefined while it is not known */
export function usePace(isNeeded = true): (callerId: string) => number | undefined {
  const { from, to, days } = lastFullDays(platformNow(), useWorkspace().created_at);
  const usage = useRead(
    "GET /v1/usage",
    { query: { from, to, group_by: "caller", totals: "false", limit: 1_000 } },
    { enabled: isNeeded && days >= 3 },
  );
  const means = new Map(usage.data?.data.map(({ caller_id, cost_usd }) => [caller_id, cost_usd / days]));
  return (callerId) => means.get(callerId);
}
