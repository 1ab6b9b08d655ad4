// A notice: the mail that a threshold of a limit is reached. Its record says what was mailed last, and whether it is on its way:
//
//   due      to be mailed; a message in the queue names it
//   sending  a function is at it, or died at it
//   sent     the mail service has taken it
//   dropped  nobody is to be told any more
//   unknown  nobody heard whether the mail service took it: it is not mailed again, and somebody has to look
//
// Nothing is mailed twice: what may have been sent is never sent again. Nothing is lost unsaid: what is due stays so until the
// mail service has taken it, and what is unknown ends as a dead letter, with its alarm.
import * as z from "zod";
import { monthOf } from "../kernel/period.ts";
import { reachedThreshold, type Threshold, thresholds, type Use } from "./threshold.ts";

/** What is used up; the record's key. The free credit has no month: it does not come back. */
export const noticeSubjectSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("cap"), tenant_id: z.string(), month: z.string() }),
  z.strictObject({ kind: z.literal("budget"), tenant_id: z.string(), month: z.string(), caller_id: z.string() }),
  z.strictObject({ kind: z.literal("credit"), tenant_id: z.string() }),
]);

export type NoticeSubject = z.output<typeof noticeSubjectSchema>;

export const noticeRecordSchema = z.object({
  threshold: z.literal(thresholds),
  /** When the threshold was found to be reached. */
  used: z.int(),
  limit: z.int(),
  state: z.enum(["due", "sending", "sent", "dropped", "unknown"]),
  /** Milliseconds. */
  changed_at: z.int(),
  /** Each change moves it, and is written only if nothing else did. */
  version: z.int(),
});

export type NoticeRecord = z.output<typeof noticeRecordSchema>;

/** A notice to be mailed, as its record is to be written. */
export type DueNotice = { subject: NoticeSubject; record: NoticeRecord };

export interface NoticeStore {
  /** Those of many that there are. A store that is throttled may leave some out. */
  many(subjects: readonly NoticeSubject[]): Promise<(subject: NoticeSubject) => NoticeRecord | undefined>;
  get(subject: NoticeSubject): Promise<NoticeRecord | undefined>;
  /** False if the record is not at the version before this one any more. */
  put(subject: NoticeSubject, record: NoticeRecord): Promise<boolean>;
}

/** A notice that is due for so long has lost its message: longer than a queue tries. */
const overdueMs = 3_600_000;

/**
 * What is to be mailed: the highest threshold that is reached and was not mailed.
 * A limit that was raised arms again those thresholds that the last mail's amount does not reach of it.
 */
export function dueRecord(use: Use, last: NoticeRecord | undefined, now: number): NoticeRecord | undefined {
  const threshold = reachedThreshold(use);
  if (threshold === undefined) return undefined;
  const isOverdue = last?.state === "due" && now - last.changed_at > overdueMs;
  if (last && !isOverdue && threshold <= mailed(use.limit, last)) return undefined;
  return { threshold, ...use, state: "due", changed_at: now, version: (last?.version ?? 0) + 1 };
}

function mailed(limit: number, last: NoticeRecord): Threshold | 0 {
  if (limit <= last.limit) return last.threshold;
  return reachedThreshold({ used: last.used, limit }) ?? 0;
}

/** The record in another state. */
export function withState(record: NoticeRecord, state: NoticeRecord["state"], now: number): NoticeRecord {
  return { ...record, state, changed_at: now, version: record.version + 1 };
}

/** Of a month that is over nobody is told: its limits began anew. */
export function isPastMonth(subject: NoticeSubject, now: number): boolean {
  return subject.kind !== "credit" && subject.month !== monthOf(now);
}
