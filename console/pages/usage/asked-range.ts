// The days that the page asks the API for. Whatever the address names, they are days that the API answers for.
import { dayMs } from "../../charts/period.ts";

/** Single calls, which tell keys and sessions apart, are kept for 45 days; on the oldest of them the hours before this one are gone. */
const oldestCallDays = 44;
/** The longest range by days, from the first of a month. */
const mostMonths = 25;

/** Days of UTC as the API writes them; `to` is not within them. */
export type Days = { from: string; to: string };

/** @param ofOneDay true for keys and sessions: the range's last day, and not after today */
export function askedRange(wanted: Days, ofOneDay: boolean, now: number, otherwise: Days): Days {
  const { from, to } = isDay(wanted.from) && isDay(wanted.to) ? wanted : otherwise;
  const [start, end] = [Date.parse(from), Math.max(Date.parse(to), Date.parse(from) + dayMs)];
  if (ofOneDay) {
    const today = Math.floor(now / dayMs) * dayMs;
    const day = Math.max(Math.min(end - dayMs, today), today - oldestCallDays * dayMs);
    return { from: iso(day), to: iso(day + dayMs) };
  }
  const last = new Date(end);
  const oldest = Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - mostMonths + 1);
  return { from: iso(Math.max(start, oldest)), to: iso(end) };
}

/** A year has four digits: what the API takes, and no number of days that stops a browser. */
function isDay(text: string): boolean {
  return /^(19|20)\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

const iso = (time: number) => new Date(time).toISOString().slice(0, 10);
