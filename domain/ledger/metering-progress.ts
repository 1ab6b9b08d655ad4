// How far the meter is with a tenant's month: which hours are closed, which wait, and which are still to be looked at.
import { hourMs, hourOf, nextMonth, startOfHour, startOfMonth } from "../kernel/period.ts";

export type TenantProgress = {
  /** All hours before it are closed, but for those that wait. */
  next: string;
  /** Hours before `next` with a call in flight, or with a provisional row. */
  waiting: string[];
  /** Of two jobs at once the slower one writes nothing. */
  version: number;
};

export interface MeteringProgressStore {
  of(tenantId: string, month: string): Promise<TenantProgress | undefined>;
  /** Nothing is written if another job was faster. */
  advance(tenantId: string, month: string, to: TenantProgress): Promise<void>;
  /** Whether nothing of the month is left to do in the shard. */
  isDone(month: string, shard: number): Promise<boolean>;
  done(month: string, shard: number): Promise<void>;
}

/**
 * An hour is looked at this long after its end: no admission of it is written 60 s after its first (domain/budget/admit.ts), and the
 * index shows a new caller within seconds.
 */
const closingMs = 5 * 60_000;

/** The first hour that is not over for the meter. */
function firstOpenHour(month: string, now: number): number {
  const over = startOfHour(hourOf(now - closingMs));
  return Math.min(over, nextMonth(startOfMonth(month)));
}

/** @param since when the tenant's first call of the month was admitted, in milliseconds */
export function progressFrom(month: string, since: number): TenantProgress {
  const first = Math.max(since, startOfMonth(month));
  return { next: hourOf(first), waiting: [], version: 0 };
}

/** The hours to look at now, oldest first, those that wait among them. */
export function hoursDue({ next, waiting }: TenantProgress, month: string, now: number): string[] {
  const first = startOfHour(next);
  const count = Math.max(0, (firstOpenHour(month, now) - first) / hourMs);
  const fresh = Array.from({ length: count }, (_, index) => hourOf(first + index * hourMs));
  return [...waiting, ...fresh];
}

/**
 * After the first of the hours that are due were looked at.
 * @param waiting those of them that still wait
 */
export function advanced(progress: TenantProgress, looked: readonly string[], waiting: string[]): TenantProgress {
  const last = looked.at(-1);
  const isFurther = last !== undefined && last >= progress.next;
  return {
    next: isFurther ? hourOf(startOfHour(last) + hourMs) : progress.next,
    waiting: [...waiting, ...progress.waiting.filter((hour) => !looked.includes(hour))],
    version: progress.version + 1,
  };
}

/** Whether all hours of the month are closed. */
export function isComplete({ next, waiting }: TenantProgress, month: string): boolean {
  return waiting.length === 0 && startOfHour(next) >= nextMonth(startOfMonth(month));
}
