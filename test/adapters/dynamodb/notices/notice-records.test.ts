import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  budgetNoticeRecord,
  capNoticeRecord,
  creditNoticeRecord,
} from "../../../../adapters/dynamodb/notices/notice.record.ts";
import { noticeRecords } from "../../../../adapters/dynamodb/notices/notice-records.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { Key } from "../../../../adapters/dynamodb/table.ts";
import type { NoticeRecord, NoticeSubject } from "../../../../domain/notices/notice.ts";
import { openTableAccounting, type TableAccounting, tableName } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
let store: ReturnType<typeof noticeRecords>;
beforeAll(async () => {
  table = await openTableAccounting();
  store = noticeRecords(rowsOf(table.document, tableName));
});
afterAll(() => table.close());

const month = "2026-11";
const record: NoticeRecord = { threshold: 50, used: 5, limit: 10, state: "due", changed_at: 1, version: 1 };

test("each notice's subject has its own record, kept for 60 days after its month; the record about free credit is kept for good", async () => {
  const subjects: NoticeSubject[] = [
    { kind: "cap", tenant_id: "t1", month },
    { kind: "budget", tenant_id: "t1", month, caller_id: "ann" },
    { kind: "budget", tenant_id: "t1", month, caller_id: "bob" },
    { kind: "credit", tenant_id: "t1" },
    { kind: "cap", tenant_id: "t2", month },
  ];
  for (const [index, subject] of subjects.entries())
    expect(await store.put(subject, { ...record, used: index })).toBe(true);
  const found = await store.many([...subjects, { kind: "cap", tenant_id: "t3", month }]);
  expect(subjects.map((subject) => found(subject))).toEqual(subjects.map((_, used) => ({ ...record, used })));
  expect(found({ kind: "cap", tenant_id: "t3", month })).toBeUndefined();
  const expiry = async (key: Key) => (await table.read(key))?.expires_at;
  const ofAnn = budgetNoticeRecord.key({ tenant_id: "t1", month, caller_id: "ann" });
  expect(await expiry(ofAnn)).toBe(Date.parse("2027-01-30T00:00:00Z") / 1000);
  expect(await expiry(creditNoticeRecord.key({ tenant_id: "t1" }))).toBeUndefined();
});

test("the record of a notice is written only if its version is known", async () => {
  const subject: NoticeSubject = { kind: "cap", tenant_id: "versions", month };
  const next: NoticeRecord = { ...record, state: "sending", version: 2 };
  const made = await Promise.all([store.put(subject, record), store.put(subject, record)]);
  expect(made.toSorted()).toEqual([false, true]);
  const withState = await Promise.all([store.put(subject, next), store.put(subject, next)]);
  expect(withState.toSorted()).toEqual([false, true]);
  expect(await store.put(subject, record)).toBe(false);
  expect(await store.get(subject)).toEqual(next);
});

test("the record of a notice that cannot be read counts as missing, and is not overwritten", async () => {
  const subject: NoticeSubject = { kind: "cap", tenant_id: "broken", month };
  await table.put({ ...capNoticeRecord.key({ tenant_id: "broken", month }), threshold: 7 });
  expect(await store.get(subject)).toBeUndefined();
  expect(await store.put(subject, record)).toBe(false);
});
