// Retention: how long something is kept. The number stands where it is a rule: with a rule of the domain, or else with the record
// (`*.record.ts` in adapters/dynamodb).
import { dayMs, hourMs } from "./period.ts";

/** A month of retention: the longest, so that a record of `25 months` is there for each of them. */
const monthDays = 31;

/** @property after what the time counts from, where that is not the writing */
export type Retention = { hours?: number; days?: number; months?: number; after?: string };

/** The mark of a removed skill, secret or integration, by which its removal can be repeated: as long as the runs that name a skill's versions. */
export const removalMark = { days: 30 } as const satisfies Retention;

export function retentionMs({ hours = 0, days = 0, months = 0 }: Retention): number {
  return hours * hourMs + (days + months * monthDays) * dayMs;
}

/** The second from which a record may be deleted. @param since the time that its retention counts from, in milliseconds */
export function expiresAt(retention: Retention, since: number): number {
  return Math.floor((since + retentionMs(retention)) / 1000);
}

/** `25 months`, as messages and docs/storage.md say it. */
export function retentionText({ hours, days, months, after }: Retention): string {
  const count = hours ?? days ?? months;
  const unit = hours !== undefined ? "hour" : days !== undefined ? "day" : "month";
  return `${count} ${unit}${count === 1 ? "" : "s"}${after === undefined ? "" : ` after ${after}`}`;
}
