// Notices in the table: a record for each limit and month, and one for the free credit.
import { nextMonth, startOfMonth } from "../../../domain/kernel/period.ts";
import { type NoticeStore, type NoticeSubject, noticeRecordSchema } from "../../../domain/notices/notice.ts";
import type { Rows } from "../rows.ts";
import type { Key } from "../table.ts";
import { follows, type Item } from "../write.ts";
import { budgetNoticeRecord, capNoticeRecord, creditNoticeRecord } from "./notice.record.ts";

export function noticeRecords(rows: Rows): NoticeStore {
  return {
    async many(subjects) {
      const { item } = await rows.batch(subjects.map(keyOf));
      return (subject) => recordOf(item(keyOf(subject)));
    },
    get: async (subject) => recordOf(await rows.get(keyOf(subject))),
    put: (subject, record) =>
      rows.put({ ...keyOf(subject), ...record, expires_at: expiryOf(subject) }, follows(record.version)),
  };
}

function keyOf(subject: NoticeSubject): Key {
  if (subject.kind === "credit") return creditNoticeRecord.key(subject);
  return subject.kind === "cap" ? capNoticeRecord.key(subject) : budgetNoticeRecord.key(subject);
}

function recordOf(item: Item | undefined) {
  return noticeRecordSchema.safeParse(item).data;
}

/** In seconds; undefined for the free credit, which does not begin anew. */
function expiryOf(subject: NoticeSubject): number | undefined {
  if (subject.kind === "credit") return undefined;
  return capNoticeRecord.expiresAt(nextMonth(startOfMonth(subject.month)));
}
