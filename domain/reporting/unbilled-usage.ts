// Unbilled usage of a tenant: before a subscription is ended, its usage should have reached the payment provider.
import { hourMs, hourOf, monthOf, nextMonth, startOfMonth } from "../kernel/period.ts";
import type { ClosedHoursDependencies } from "./idle-hour.ts";
import type { OpenBalance } from "./reversal.ts";

export interface UnbilledUsage {
  /** How many of the tenant's reports of these months the provider does not show yet, with adjustments and a balance to be billed. */
  count(tenantId: string, months: readonly string[]): Promise<number>;
  /** The open balance with the adjustments that no report of the tenant has taken. */
  openBalance(tenantId: string): Promise<OpenBalance>;
}

export type UnbilledUsageDependencies = ClosedHoursDependencies & {
  reports: Pick<UnbilledUsage, "count">;
  clock: () => number;
};

/**
 * How much is unbilled of a tenant that nobody can call any more: months with open hours, and what is not counted yet. 0 once the
 * provider has aggregated all of its usage.
 * @param endedAt when the last call may have been admitted, in milliseconds
 */
export async function unbilledUsage(
  deps: UnbilledUsageDependencies,
  tenantId: string,
  endedAt: number,
): Promise<number> {
  const month = monthOf(endedAt);
  // An hour is open for a day (closing.ts) and a report for 35 at most (event-time.ts): older months have none.
  const before = monthOf(startOfMonth(month) - 1);
  const closed = await Promise.all([before, month].map((one) => isMonthClosed(deps, tenantId, one, endedAt)));
  const months = [...new Set([before, month, monthOf(deps.clock())])];
  return closed.filter((is) => !is).length + (await deps.reports.count(tenantId, months));
}

async function isMonthClosed(
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
