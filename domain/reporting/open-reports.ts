// What of a tenant's usage is still to be billed: whoever ends its subscription waits until there is nothing, for as long as it can.
import { hourMs, hourOf, monthOf, nextMonth, startOfMonth } from "../kernel/period.ts";
import type { ClosedHoursDependencies } from "./idle-hour.ts";
import type { Kept } from "./taking-back.ts";

export interface OpenReports {
  /**
   * Of the tenant's reports in these months, how many the provider does not show yet, and what of corrections and of late
   * reports is to be billed besides.
   */
  count(tenantId: string, months: readonly string[]): Promise<number>;
  /** What no report of the tenant has taken. */
  kept(tenantId: string): Promise<Kept>;
}

export type OpenReportsDependencies = ClosedHoursDependencies & {
  reports: Pick<OpenReports, "count">;
  clock: () => number;
};

/**
 * How much is open of a tenant that nobody may use any more: months with hours that are not closed, and what is not counted
 * yet. 0 if all of its usage is aggregated.
 * @param endedAt when the last call may have been admitted, in milliseconds
 */
export async function openReports(deps: OpenReportsDependencies, tenantId: string, endedAt: number): Promise<number> {
  const month = monthOf(endedAt);
  // Nothing is open for longer than a few days (closing.ts, stamp.ts).
  const before = monthOf(startOfMonth(month) - 1);
  const closed = await Promise.all([before, month].map((one) => isDone(deps, tenantId, one, endedAt)));
  const months = [...new Set([before, month, monthOf(deps.clock())])];
  return closed.filter((is) => !is).length + (await deps.reports.count(tenantId, months));
}

async function isDone(
  { progress, firstCalls }: ClosedHoursDependencies,
  tenantId: string,
  month: string,
  endedAt: number,
): Promise<boolean> {
  const reached = await progress.of(tenantId, month);
  if (!reached) return (await firstCalls.since(tenantId, month)) === undefined;
  const last = Math.min(endedAt, nextMonth(startOfMonth(month)) - hourMs);
  return reached.waiting.length === 0 && reached.next > hourOf(last);
}
