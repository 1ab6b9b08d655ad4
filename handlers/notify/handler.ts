// Mails the notices of the queue: a limit has reached a threshold, a model ends, or a payment needs somebody. Each message may come twice.
import * as z from "zod";
import { paymentNoticeSchema } from "../../domain/billing/payment-notice.ts";
import { modelEndNoticeSchema } from "../../domain/notices/model-end-notice.ts";
import {
  ModelEndNoticeSender,
  type ModelEndNoticeSenderDependencies,
} from "../../domain/notices/model-end-notice-sender.ts";
import { noticeSubjectSchema } from "../../domain/notices/notice.ts";
import { NoticeSender, type NoticeSenderDependencies } from "../../domain/notices/notice-sender.ts";
import {
  PaymentNoticeSender,
  type PaymentNoticeSenderDependencies,
} from "../../domain/notices/payment-notice-sender.ts";
import { queueBatch } from "../middleware/queue-batch.ts";

const body = z.union([noticeSubjectSchema, paymentNoticeSchema, modelEndNoticeSchema]);

export function notifyHandler(
  deps: NoticeSenderDependencies & PaymentNoticeSenderDependencies & ModelEndNoticeSenderDependencies,
) {
  const [ofLimits, ofPayments] = [new NoticeSender(deps), new PaymentNoticeSender(deps)];
  const ofModels = new ModelEndNoticeSender(deps);
  return queueBatch({
    body,
    work: (notice) => {
      if (notice.kind === "payment") return ofPayments.send(notice);
      return notice.kind === "model_end" ? ofModels.send(notice) : ofLimits.send(notice);
    },
    log: deps.log,
  });
}
