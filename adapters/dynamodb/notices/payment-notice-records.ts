// Notices about payments in the table: a record for each, and what queues those that are due.
import type { PaymentNotice, PaymentNotices } from "../../../domain/billing/payment-notice.ts";
import type { Queue } from "../../../domain/kernel/queue.ts";
import { mailStateSchema } from "../../../domain/notices/notice.ts";
import type { PaymentNoticeStore } from "../../../domain/notices/payment-notice-sender.ts";
import type { Rows } from "../rows.ts";
import { follows } from "../write.ts";
import { paymentNoticeRecord } from "./notice.record.ts";

export function paymentNoticeRecords(rows: Rows): PaymentNoticeStore {
  const keyOf = ({ tenant_id, what, about }: PaymentNotice) => paymentNoticeRecord.key({ tenant_id, what, about });
  return {
    get: async (notice) => mailStateSchema.safeParse(await rows.get(keyOf(notice))).data,
    put: (notice, record) => {
      const end = { expires_at: paymentNoticeRecord.expiresAt(record.changed_at) };
      return rows.put({ ...keyOf(notice), ...record, ...end }, follows(record.version));
    },
  };
}

/**
 * A notice's mail is rendered from rows that its announcer may write after the announcement. The announcer's function ends within half a
 * minute, so that after this delay the rows are there.
 */
const delaySeconds = 60;

type Announcing = { records: PaymentNoticeStore; queue: Pick<Queue<PaymentNotice>, "send">; clock: () => number };

/** Announces by a record and a message. A repeat queues again what is still due: a message may have been lost. */
export function announcedPaymentNotices({ records, queue, clock }: Announcing): PaymentNotices {
  return {
    async announce(notices) {
      for (const notice of notices) {
        const due = { state: "due", changed_at: clock(), version: 1 } as const;
        const isDue = (await records.put(notice, due)) || (await records.get(notice))?.state === "due";
        if (isDue) await queue.send(notice, delaySeconds);
      }
    },
  };
}
