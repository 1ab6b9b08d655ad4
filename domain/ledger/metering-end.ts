// The end of a tenant's metering: nobody can call any more, and the meter has closed all hours.
import { hourMs, hourOf, monthOf, nextMonth, startOfMonth } from "../kernel/period.ts";
import { together } from "../kernel/together.ts";
import type { FirstCalls } from "./first-calls.ts";
import type { MeteringProgressStore } from "./metering-progress.ts";

export type MeteringEndDependencies = { progress: Pick<MeteringProgressStore, "of">; firstCalls: FirstCalls };

/**
 * Whether no row of the tenant can come any more, but for corrections.
 * @param endedAt when the last call may have been admitted, in milliseconds
 */
export async function isMetered(deps: MeteringEndDependencies, tenantId: string, endedAt: number): Promise<boolean> {
  const month = monthOf(endedAt);
  // An hour is open for a day (metering/closing.ts): months before that are closed.
  const months = [monthOf(startOfMonth(month) - 1), month];
  const closed = await together(months.map((one) => isMonthClosed(deps, tenantId, one, endedAt)));
  return closed.every(Boolean);
}

async function isMonthClosed(
  { progress, firstCalls }: MeteringEndDependencies,
  tenantId: string,
  month: string,
  endedAt: number,
): Promise<boolean> {
  const reached = await progress.of(tenantId, month);
  if (!reached) return (await firstCalls.since(tenantId, month)) === undefined;
  const last = Math.min(endedAt, nextMonth(startOfMonth(month)) - hourMs);
  return reached.waiting.length === 0 && reached.next > hourOf(last);
}
