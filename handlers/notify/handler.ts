// Mails the notices of the queue: a cap, a budget or the free credit has reached a threshold. Each message may come twice.
import { noticeSubjectSchema } from "../../domain/notices/notice.ts";
import { NoticeSender, type NoticeSenderDependencies } from "../../domain/notices/notice-sender.ts";
import { queueBatch } from "../middleware/queue-batch.ts";

export function notifyHandler(deps: NoticeSenderDependencies) {
  const notification = new NoticeSender(deps);
  return queueBatch({ body: noticeSubjectSchema, work: (subject) => notification.send(subject), log: deps.log });
}
