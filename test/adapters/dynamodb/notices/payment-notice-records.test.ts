import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  announcedPaymentNotices,
  paymentNoticeRecords,
} from "../../../../adapters/dynamodb/notices/payment-notice-records.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { PaymentNotice, PaymentNotices } from "../../../../domain/billing/payment-notice.ts";
import type { PaymentNoticeStore } from "../../../../domain/notices/payment-notice-sender.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

const notice: PaymentNotice = { kind: "payment", tenant_id: "t1", what: "suspended", about: "in_1" };
const now = Date.parse("2026-11-21T05:00:00Z");

let opened: Awaited<ReturnType<typeof openStores>>;
let records: PaymentNoticeStore;
const queued: [PaymentNotice, number | undefined][] = [];
let isDown = false;
let notices: PaymentNotices;
beforeAll(async () => {
  opened = await openStores();
  records = paymentNoticeRecords(rowsOf(opened.document, tableName));
  const send = async (job: PaymentNotice, delay?: number) => {
    if (isDown) throw new Error("the queue is down");
    queued.push([job, delay]);
  };
  notices = announcedPaymentNotices({ records, queue: { send }, clock: () => now });
});
afterAll(() => opened.close());

test("a notice of a payment is stored before it is queued, and listed until it is no longer due", async () => {
  isDown = true;
  await expect(notices.announce([notice])).rejects.toThrow("down");
  isDown = false;
  // A repeat finds the record that an earlier run has left.
  await notices.announce([notice]);
  expect(queued).toEqual([[notice, 60]]);
  const due = { state: "due", changed_at: now, version: 1 } as const;
  expect(await records.get(notice)).toEqual(due);
  expect(await records.put(notice, { ...due, state: "sent", version: 2 })).toBe(true);
  expect(await records.put(notice, { ...due, version: 2 })).toBe(false);
  await notices.announce([notice]);
  expect(queued).toHaveLength(1);
});

test("each notice of a payment has its own record", async () => {
  for (const other of [{ what: "resumed" }, { about: "in_2" }, { tenant_id: "t2" }] as const) {
    expect(await records.get({ ...notice, ...other })).toBeUndefined();
  }
});
