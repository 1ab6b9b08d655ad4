// Retention: how long each kind of record is kept. The stores write it as the time to live of an item, readers and the purge
// reckon with it, and a test compares it with docs/storage.md. A kind that is not named here is kept until something deletes it.
import { dayMs, hourMs } from "./period.ts";

/** A month of retention: the longest, so that a record of `25 months` is there for each of them. */
const monthDays = 31;

type Retention = { hours?: number; days?: number; months?: number; after?: string };

/** Kinds of records as `records` in adapters/dynamodb/schema.ts names them, and of what is stored outside of the table. */
export const retention = {
  /** The days count from the call's admission. Corrections need the row, so it outlives `lateUsage`. */
  ledger: { days: 45 },
  spending: { months: 25 },
  rollup: { months: 25 },
  /** A report is kept as long as the rollups and longer than the ledger, so that a correction always finds that its hour was reported. */
  report: { months: 25 },
  adjustment: { months: 25 },
  audit: { months: 25 },
  /** Progress is kept longer than the ledger, so that it exists for every hour that still has rows. */
  meterProgress: { days: 60, after: "the month" },
  notice: { days: 60, after: "the month" },
  /** The time of a sign-out is kept longer than a sign-in may last (`appClients`): after that no token of before is left. */
  signOut: { days: 31 },
  idempotency: { hours: 24 },
  /** The number of free credits of a day. */
  given: { days: 7 },
  waitingRoom: { days: 1, after: "the last" },
  asked: { days: 1, after: "the last" },
  crowd: { days: 1, after: "the last" },
  /** A debt that left with its owner, and who has had a card. */
  debtor: { months: 25 },
  card: { months: 25 },
  /** Stripe repeats a delivery for 3 days, and its dashboard can send one again for 30. */
  paymentEvent: { days: 35 },
  /** A deleted workspace, from its deletion to its purge (docs/specification.md, Limits). */
  deletedTenant: { days: 14 },
  /** The mark of a removed skill, secret or integration, by which its removal can be repeated: as long as the runs that name a skill's versions. */
  removalMark: { days: 30 },
  /** A run, counted from when it was asked for. */
  skillRun: { days: 30 },
  /** What a run was given and what it printed, in the bucket of skills. */
  runObject: { days: 1 },
  /** Lines of the functions' logs, in which the calls of tools are searched. */
  logLine: { days: 30 },
  /** The truth of a call that could not be settled, counted from its admission: settling it needs the ledger row. */
  lateUsage: { days: 40 },
} as const satisfies Record<string, Retention>;

export type Retained = keyof typeof retention;

export function retentionMs(kind: Retained): number {
  const { hours = 0, days = 0, months = 0 }: Retention = retention[kind];
  return hours * hourMs + (days + months * monthDays) * dayMs;
}

/** The second from which a record may be deleted. @param since the time that its retention counts from, in milliseconds */
export function expiresAt(kind: Retained, since: number): number {
  return Math.floor((since + retentionMs(kind)) / 1000);
}

/** `25 months`, as messages and docs/storage.md say it. */
export function retentionText(kind: Retained): string {
  const { hours, days, months, after }: Retention = retention[kind];
  const count = hours ?? days ?? months;
  const unit = hours !== undefined ? "hour" : days !== undefined ? "day" : "month";
  return `${count} ${unit}${count === 1 ? "" : "s"}${after === undefined ? "" : ` after ${after}`}`;
}
