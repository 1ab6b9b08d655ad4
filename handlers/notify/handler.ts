// Mails what is reached of caps, budgets and free credit, from the queue of notices. Each message may come twice.
import { noticeSubjectSchema } from "../../domain/notices/notice.ts";
import { Notification, type NotificationDependencies } from "../../domain/notices/notification.ts";
import { queueBatch } from "../middleware/queue-batch.ts";

export function notifyHandler(deps: NotificationDependencies) {
  const notification = new Notification(deps);
  return queueBatch({ body: noticeSubjectSchema, work: (subject) => notification.send(subject), log: deps.log });
}
