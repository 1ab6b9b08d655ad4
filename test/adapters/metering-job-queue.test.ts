import { expect, test } from "@jest/globals";
import { meteringJobQueue } from "../../adapters/metering-job-queue.ts";
import type { QueueMessage } from "../../adapters/sqs.ts";
import { jobsAt, meteringJobSchema } from "../../domain/metering/metering-job.ts";

test("each job is a message of its own, sent in as few calls as they need", async () => {
  const calls: (readonly QueueMessage[])[] = [];
  const sendAll = async (messages: readonly QueueMessage[]) => void calls.push(messages);
  await meteringJobQueue("https://sqs.test/queue", { send: async () => {}, sendAll }).send(jobsAt(0));
  expect(calls).toHaveLength(1);
  expect(calls[0]?.map(({ body }) => meteringJobSchema.parse(JSON.parse(body)))).toEqual(jobsAt(0));
});
