// The queue of notices that are due.
import type { NoticeQueue } from "../domain/notices/notice.ts";
import { queueSender } from "./sqs.ts";

export function noticeQueue(url: string, sender = queueSender(url)): NoticeQueue {
  return { send: (subjects) => sender.sendAll(subjects.map((subject) => ({ body: JSON.stringify(subject) }))) };
}
