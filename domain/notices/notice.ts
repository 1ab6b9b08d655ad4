// A notice: the mail that a threshold of a limit is reached. Its record tells the last threshold and the state of its mail:
//
//   due      the mail is to be sent; a message in the queue names the notice
//   sending  a function is sending the mail, or died while it did
//   sent     the mail service has taken the mail
//   dropped  nobody needs the mail any more
//   unknown  no answer told whether the mail service took the mail: it is not sent again, and an operator has to look
//
// No mail is sent twice: a mail that may have been sent is never sent again. No mail is lost silently: a notice stays due until the
// mail service has taken its mail, and the message of an unknown one ends as a dead letter, which raises an alarm.
import * as z from "zod";
import { hourMs, monthOf } from "../kernel/period.ts";
import { reachedThreshold, type Threshold, thresholds, type Use } from "./threshold.ts";

/** The limit that is used up, which is also the record's key. The free credit has no month, since it does not begin anew. */
export const noticeSubjectSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("cap"), tenant_id: z.string(), month: z.string() }),
  z.strictObject({ kind: z.literal("budget"), tenant_id: z.string(), month: z.string(), caller_id: z.string() }),
  z.strictObject({ kind: z.literal("credit"), tenant_id: z.string() }),
]);

export type NoticeSubject = z.output<typeof noticeSubjectSchema>;

/** The state of a notice's mail. */
export const mailStateSchema = z.object({
  state: z.enum(["due", "sending", "sent", "dropped", "unknown"]),
  /** Milliseconds. */
  changed_at: z.int(),
  /** Counts the changes. A change is written only at the version that was read. */
  version: z.int(),
});

export type MailState = z.output<typeof mailStateSchema>;

export const noticeRecordSchema = mailStateSchema.extend({
  threshold: z.literal(thresholds),
  /** The use at the time when the threshold was found to be reached. */
  used: z.int(),
  limit: z.int(),
});

export type NoticeRecord = z.output<typeof noticeRecordSchema>;

/** A notice to be mailed, with the record to write for it. */
export type DueNotice = { subject: NoticeSubject; record: NoticeRecord };

export interface NoticeStore {
  /** Reads the records of many notices. A store that is throttled may leave some out. */
  many(subjects: readonly NoticeSubject[]): Promise<(subject: NoticeSubject) => NoticeRecord | undefined>;
  get(subject: NoticeSubject): Promise<NoticeRecord | undefined>;
  /** Writes the record. @returns false if the stored record is not at the version before */
  put(subject: NoticeSubject, record: NoticeRecord): Promise<boolean>;
}

/** A notice that is due for this long has lost its message: no queue tries for that long. */
const overdueMs = hourMs;

/**
 * The record of the notice to mail: the highest threshold that is reached and was not mailed. After a limit was raised, a threshold
 * counts as mailed only if the last mail's amount reaches it under the new limit.
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

/** Whether the notice is about a month that is over, which nobody needs to know any more. */
export function isPastMonth(subject: NoticeSubject, now: number): boolean {
  return subject.kind !== "credit" && subject.month !== monthOf(now);
}
