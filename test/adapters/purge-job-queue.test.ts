import { expect, test } from "@jest/globals";
import { purgeJobQueue } from "../../adapters/purge-job-queue.ts";
import type { QueueMessage } from "../../adapters/sqs.ts";
import { purgeJobSchema } from "../../domain/provisioning/purge.ts";

const sent: QueueMessage[][] = [];
const queue = purgeJobQueue("https://sqs.test/queue", {
  send: async (message) => void sent.push([message]),
  sendAll: async (messages) => void sent.push([...messages]),
});

test("a job is a message that comes after its delay, and says who asked", async () => {
  const job = { tenant_id: "t1", requested_by: "root" };
  await queue.send(job, 840);
  const [message] = sent.pop() ?? [];
  expect(message?.delaySeconds).toBe(840);
  expect(purgeJobSchema.parse(JSON.parse(message?.body ?? ""))).toEqual(job);
});

test("the jobs of a day are a message each, at once, and sent together", async () => {
  const jobs = Array.from({ length: 25 }, (_, n) => ({ tenant_id: `t${n}` }));
  await queue.sendAll(jobs);
  expect(sent).toHaveLength(1);
  const messages = sent.pop() ?? [];
  expect(messages.map(({ body }) => purgeJobSchema.parse(JSON.parse(body)))).toEqual(jobs);
  expect(messages.filter(({ delaySeconds }) => delaySeconds !== undefined)).toEqual([]);
});
