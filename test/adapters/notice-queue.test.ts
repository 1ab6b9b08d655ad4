import { expect, test } from "@jest/globals";
import { noticeQueue } from "../../adapters/notice-queue.ts";
import type { QueueMessage } from "../../adapters/sqs.ts";
import { type NoticeSubject, noticeSubjectSchema } from "../../domain/notices/notice.ts";

test("each notice is a message of its own, sent in as few calls as they need", async () => {
  const subjects: NoticeSubject[] = [
    { kind: "cap", tenant_id: "t1", month: "2026-11" },
    { kind: "budget", tenant_id: "t1", month: "2026-11", caller_id: "ann" },
    { kind: "credit", tenant_id: "t1" },
  ];
  const calls: (readonly QueueMessage[])[] = [];
  const sendAll = async (messages: readonly QueueMessage[]) => void calls.push(messages);
  await noticeQueue("https://sqs.test/queue", { send: async () => {}, sendAll }).send(subjects);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.map(({ body }) => noticeSubjectSchema.parse(JSON.parse(body)))).toEqual(subjects);
});
