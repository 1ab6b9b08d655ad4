import { expect, test } from "@jest/globals";
import { setupJobQueue } from "../../adapters/setup-job-queue.ts";
import type { QueueMessage } from "../../adapters/sqs.ts";
import { type SetupJob, setupJobSchema } from "../../domain/provisioning/tenant-setup.ts";

test("each job is a message of its own, which the function reads as it was, and may wait", async () => {
  const sent: QueueMessage[] = [];
  const queue = setupJobQueue("https://sqs.test/queue", {
    send: async (message) => void sent.push(message),
    sendAll: async (messages) => void sent.push(...messages),
  });
  const jobs: SetupJob[] = [{ kind: "people" }, { kind: "people", after: "next" }];
  await queue.sendAll(jobs);
  await queue.send({ kind: "tenant", tenant_id: "t1" }, 120);
  expect(sent.map(({ body }) => setupJobSchema.parse(JSON.parse(body)))).toEqual([
    ...jobs,
    { kind: "tenant", tenant_id: "t1" },
  ]);
  expect(sent.at(-1)?.delaySeconds).toBe(120);
});
