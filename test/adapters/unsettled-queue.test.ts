import { expect, test } from "@jest/globals";
import type { QueueMessage } from "../../adapters/sqs.ts";
import { unsettledQueue } from "../../adapters/unsettled-queue.ts";
import { type UnsettledUsage, unsettledSchema } from "../../domain/budget/unsettled.ts";

const unsettled: UnsettledUsage = {
  key: { tenantId: "t1", callerId: "dev", month: "2026-11" },
  reservation: {
    ...{ requestId: "r1", amount: 10, version: 0, leaseEndsAt: 1, overdraft: false, admittedAt: 1 },
    ...{ profile: "eu.x", region: "eu-central-1", bounds: { input: 1, output: 1 }, onCredit: true },
  },
  givenUp: true,
};

test("a message is the usage itself, which its reader takes", async () => {
  const sent: QueueMessage[] = [];
  const sender = { send: async (message: QueueMessage) => void sent.push(message), sendAll: async () => {} };
  await unsettledQueue("https://sqs.test/queue", sender).send(unsettled);
  expect(sent.map(({ body }) => unsettledSchema.parse(JSON.parse(body)))).toEqual([unsettled]);
});

test("what the queue does not take is an error", async () => {
  const send = async () => {
    throw new Error("down");
  };
  await expect(unsettledQueue("https://sqs.test/queue", { send, sendAll: send }).send(unsettled)).rejects.toThrow();
});
