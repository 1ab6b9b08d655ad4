// Hours without usage: one of them takes what is to be billed of a tenant that has no later usage, or taken back.
import { hourMs, monthOf, startOfHour } from "../kernel/period.ts";
import type { FirstCalls } from "../ledger/first-calls.ts";
import type { MeteringProgressStore } from "../ledger/metering-progress.ts";
import type { ReportStore } from "../metering/report.ts";
import type { IdleHours } from "./usage-reporting.ts";

export type ClosedHoursDependencies = {
  progress: Pick<MeteringProgressStore, "of">;
  firstCalls: FirstCalls;
};

/** Whether the meter has closed the tenant's hour for good: from then on it gets no rows. */
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
  deps: ClosedHoursDependencies & { reports: Pick<ReportStore, "carries" | "freeze"> },
): IdleHours {
  const { reports } = deps;
  return {
    async report(tenantId, hour, { isWanted, takeBack }) {
      const carries = await reports.carries(tenantId);
      const sum = carries.reduce((total, { difference }) => total + difference, 0);
      const most = sum < 0 ? await takeBack() : 0;
      const isDue = most !== undefined && carries.some(({ difference }) => difference !== 0);
      if (!isDue && !isWanted) return false;
      if (!(await isClosed(deps, tenantId, hour))) return false;
      const value = isDue ? Math.max(sum, 0 - most) : 0;
      // One that is there has its value already, and may have nothing to bill.
      await reports.freeze({ tenantId, hour, value, taken: isDue ? carries : [], rest: isDue ? sum - value : 0 });
      return true;
    },
  };
}
