// Times: days and months are UTC, like budgets and bills; events are local, with UTC in the tooltip.
import { dayMs, hourMs } from "../charts/period.ts";

/** An event's time where the reader is; its year only if it is another one. */
export function When({ at }: { at: string | undefined | null }) {
  if (!at) return <>never</>;
  const time = new Date(at);
  const isThisYear = time.getFullYear() === new Date().getFullYear();
  return (
    <time dateTime={at} title={`${at.slice(0, 16).replace("T", " ")} UTC`}>
      {time.toLocaleString(undefined, {
        ...(isThisYear ? {} : { year: "numeric" }),
        ...{ month: "short", day: "numeric", hour: "numeric", minute: "2-digit" },
      })}
    </time>
  );
}

/** A day in UTC, e.g. 1 Dec. */
export function utcDay(at: string | number): string {
  return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
}

/** A month in UTC, e.g. November 2026. @param month as the API writes it */
export function utcMonth(month: string): string {
  return new Date(month).toLocaleDateString(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
}

/** The day of a time in UTC, as the API writes it. */
export const isoDay = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The first day of the month, and the first of the next, in UTC. */
export function monthOf(time: number): { from: string; to: string; days: number } {
  const at = new Date(time);
  const [from, to] = [0, 1].map((more) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + more)) as [number, number];
  return { from: isoDay(from), to: isoDay(to), days: Math.round((to - from) / dayMs) };
}

/** The days from the first to before the last, as the API writes them. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(from); time < Date.parse(to); time += dayMs) days.push(isoDay(time));
  return days;
}

/** The local hour at which this UTC day ends, which a chart of days says. In summer it may be another one than in winter. */
export function dayEndsLocally(): string {
  const end = new Date(Math.ceil(Date.now() / dayMs) * dayMs);
  return end.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
}

/** The hour of a time in UTC, as the API writes it. */
export const isoHour = (time: number) => new Date(time).toISOString().slice(0, 13);

/** The hours from the first day to before the last, as the API writes them. */
export function hoursBetween(from: string, to: string): string[] {
  const hours: string[] = [];
  for (let time = Date.parse(from); time < Date.parse(to); time += hourMs) hours.push(isoHour(time));
  return hours;
}

/** An hour in UTC, e.g. 21 November 05:00. */
export const utcHour = (hour: string) => `${utcDay(`${hour}:00:00Z`)} ${hour.slice(11)}:00`;
