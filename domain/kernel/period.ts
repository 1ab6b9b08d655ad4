// The periods of the accounting (UTC): budgets run by the month, the ledger by the hour.

/** `2026-11` */
export function monthOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 7);
}

/** `2026-11-21T05` */
export function hourOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 13);
}

/** The first instant of the next month, in milliseconds. Budgets start again then. */
export function nextMonth(milliseconds: number): number {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The first instant of an hour, in milliseconds. */
export function startOfHour(hour: string): number {
  return Date.parse(`${hour}:00:00Z`);
}

/** The first instant of a month, in milliseconds. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}
