import { expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import * as z from "zod";
import { queueBatch } from "../../../handlers/middleware/queue-batch.ts";

const problems: [message: string, facts: Record<string, unknown>][] = [];
const worked: number[] = [];
const handler = queueBatch({
  body: z.object({ job: z.int() }),
  log: { info: () => {}, problem: (message, facts) => problems.push([message, facts]) },
  async work({ job }) {
    if (job < 0) throw new Error("no such job");
    worked.push(job);
  },
});

const eventOf = (...bodies: string[]) =>
  ({
    Records: bodies.map((body, index) => ({
      messageId: `m${index}`,
      body,
      attributes: { ApproximateReceiveCount: "2" },
    })),
  }) as SQSEvent;

test("each message of a batch is handled separately: failed ones are named, and logged without their content", async () => {
  const response = await handler(eventOf('{"job":1}', '{"job":-1}', '{"job":"secret"}', "secret", '{"job":2}'));
  expect(response).toEqual({
    batchItemFailures: [{ itemIdentifier: "m1" }, { itemIdentifier: "m2" }, { itemIdentifier: "m3" }],
  });
  expect(worked).toEqual([1, 2]);
  const logged = ["m1", "m2", "m3"].map((message_id) => ["A message failed", { message_id, receives: 2 }]);
  expect(problems).toHaveLength(3);
  expect(problems).toEqual(expect.arrayContaining(logged));
});

test("a batch without failures names no message", async () => {
  expect(await handler(eventOf('{"job":3}'))).toEqual({ batchItemFailures: [] });
});
