import { expect, test } from "@jest/globals";
import { reportingJobQueue } from "../../adapters/reporting-job-queue.ts";
import type { QueueMessage } from "../../adapters/sqs.ts";
import { reportingJobSchema, reportingJobs } from "../../domain/reporting/reporting-job.ts";

test("each job is a message of its own, sent in as few calls as they need", async () => {
  const calls: (readonly QueueMessage[])[] = [];
  const sendAll = async (messages: readonly QueueMessage[]) => void calls.push(messages);
  await reportingJobQueue("https://sqs.test/queue", { send: async () => {}, sendAll }).send(reportingJobs);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.map(({ body }) => reportingJobSchema.parse(JSON.parse(body)))).toEqual(reportingJobs);
});
