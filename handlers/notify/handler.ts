// Mails the notices of the queue: a limit has reached a threshold, or a payment needs somebody. Each message may come twice.
import * as z from "zod";
import { paymentNoticeSchema } from "../../domain/billing/payment-notice.ts";
import { noticeSubjectSchema } from "../../domain/notices/notice.ts";
import { NoticeSender, type NoticeSenderDependencies } from "../../domain/notices/notice-sender.ts";
import {
  PaymentNoticeSender,
  type PaymentNoticeSenderDependencies,
} from "../../domain/notices/payment-notice-sender.ts";
import { queueBatch } from "../middleware/queue-batch.ts";

const body = z.union([noticeSubjectSchema, paymentNoticeSchema]);

export function notifyHandler(deps: NoticeSenderDependencies & PaymentNoticeSenderDependencies) {
  const [ofLimits, ofPayments] = [new NoticeSender(deps), new PaymentNoticeSender(deps)];
  return queueBatch({
    body,
    work: (notice) => (notice.kind === "payment" ? ofPayments.send(notice) : ofLimits.send(notice)),
    log: deps.log,
  });
}
