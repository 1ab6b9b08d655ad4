// Mails what is reached of caps, budgets and free credit, from the queue of notices. Each message may come twice.
import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { noticeSubjectSchema } from "../../domain/notices/notice.ts";
import { Notification } from "../../domain/notices/notification.ts";
import { queueBatch } from "../middleware/queue-batch.ts";
import type { NotifyDependencies } from "./dependencies.ts";

export function notifyHandler(deps: NotifyDependencies) {
  const notification = new Notification(deps);
  const work = queueBatch({
    body: noticeSubjectSchema,
    work: (subject) => notification.send(subject),
    log: deps.log,
  });
  return middy<SQSEvent, SQSBatchResponse>().handler(work);
}
