// The meter's progress in a tenant's month: which hours are closed, which wait, and which it has not looked at yet.
import { hourMs, hourOf, nextMonth, startOfHour, startOfMonth } from "../kernel/period.ts";

export type TenantProgress = {
  /** The first hour that the meter has not looked at. All hours before it are closed or waiting. */
  next: string;
  /** Hours before `next` with a call in flight, or with a provisional row. */
  waiting: string[];
  /** Counts the writes. Of two jobs at the same time, the slower one writes nothing. */
  version: number;
};

export interface MeteringProgressStore {
  of(tenantId: string, month: string): Promise<TenantProgress | undefined>;
  /** Writes nothing if another job has written since the progress was read. */
  advance(tenantId: string, month: string, to: TenantProgress): Promise<void>;
  /** Whether all hours of the month are closed in the shard. */
  isDone(month: string, shard: number): Promise<boolean>;
  done(month: string, shard: number): Promise<void>;
}

/**
 * How long after its end the meter looks at an hour. By then every admission of the hour is written (60 s at most after its first
 * try) and the index shows every caller.
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

/** The hours to look at now: the waiting ones, then the new ones, each oldest first. */
export function hoursDue({ next, waiting }: TenantProgress, month: string, now: number): string[] {
  const first = startOfHour(next);
  const count = Math.max(0, (firstOpenHour(month, now) - first) / hourMs);
  const fresh = Array.from({ length: count }, (_, index) => hourOf(first + index * hourMs));
  return [...waiting, ...fresh];
}

/**
 * The progress after the meter has looked at some of the hours that are due.
 * @param looked the hours that it looked at
 * @param waiting the hours among them that stay open
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
