// Idle hours: an hour without usage gets a report of its own if the tenant has adjustments or a balance and no later usage to bill them with.
import { hourMs, monthOf, startOfHour } from "../kernel/period.ts";
import type { FirstCalls } from "../ledger/first-calls.ts";
import type { MeteringProgressStore } from "../ledger/metering-progress.ts";
import type { HourReportStore } from "../metering/hour-report.ts";
import type { IdleHours } from "./usage-reporter.ts";

export type ClosedHoursDependencies = {
  progress: Pick<MeteringProgressStore, "of">;
  firstCalls: FirstCalls;
};

/** Whether the meter has closed the tenant's hour. A closed hour gets no more rows. */
export async function isClosed(
  { progress, firstCalls }: ClosedHoursDependencies,
  tenantId: string,
  hour: string,
): Promise<boolean> {
  const month = monthOf(startOfHour(hour));
  const reached = await progress.of(tenantId, month);
  if (reached) return reached.next > hour && !reached.waiting.includes(hour);
  const since = await firstCalls.since(tenantId, month);
  return since === undefined || since >= startOfHour(hour) + hourMs;
}

export function idleHours(
  deps: ClosedHoursDependencies & { reports: Pick<HourReportStore, "adjustments" | "freeze"> },
): IdleHours {
  const { reports } = deps;
  return {
    async report(tenantId, hour, { isWanted, maxReversal }) {
      const adjustments = await reports.adjustments(tenantId);
      const sum = adjustments.reduce((total, { difference }) => total + difference, 0);
      const reversible = sum < 0 ? await maxReversal() : 0;
      const isDue = reversible !== undefined && adjustments.some(({ difference }) => difference !== 0);
      if (!isDue && !isWanted) return false;
      if (!(await isClosed(deps, tenantId, hour))) return false;
      const value = isDue ? Math.max(sum, 0 - reversible) : 0;
      // A report that exists keeps its value; it may be one with nothing to bill.
      await reports.freeze({
        tenantId,
        hour,
        value,
        adjustments: isDue ? adjustments : [],
        rest: isDue ? sum - value : 0,
      });
      return true;
    },
  };
}
