import { describe, expect, test } from "@jest/globals";
import { failedIds, queueEvent } from "../../lambda/queue-event.ts";
import type { Message } from "../../sqs/message.ts";
import type { QueueSettings } from "../../sqs/queue.ts";

const arn = "arn:aws:sqs:eu-central-1:000000000000:jobs";
const queue = { name: "jobs", arn } as QueueSettings;
const message: Message = {
  id: "m1",
  queueArn: arn,
  body: "hello",
  senderId: "instance-1",
  sentAt: 1_000,
  visibleAt: 61_000,
  receiveCount: 2,
  firstReceivedAt: 1_500,
  receipt: "r2",
};

test("a function gets messages of a queue in the form that AWS's poller uses", () => {
  expect(queueEvent([message], queue, "eu-central-1")).toEqual({
    Records: [
      {
        messageId: "m1",
        receiptHandle: expect.stringMatching(/./),
        body: "hello",
        attributes: {
          ApproximateReceiveCount: "2",
          SentTimestamp: "1000",
          SenderId: "instance-1",
          ApproximateFirstReceiveTimestamp: "1500",
        },
        messageAttributes: {},
        md5OfBody: "5d41402abc4b2a76b9719d911017c592",
        eventSource: "aws:sqs",
        eventSourceARN: arn,
        awsRegion: "eu-central-1",
      },
    ],
  });
});

describe("of a batch", () => {
  const ids = ["m1", "m2", "m3"];
  const failures = (...items: unknown[]) => ({ batchItemFailures: items });

  test.each<[string, unknown]>([
    ["nothing", null],
    ["nothing of failures", {}],
    ["null", { batchItemFailures: null }],
    ["an empty list", failures()],
  ])("nothing failed if the function answers with %s", (_, response) => {
    expect([...failedIds(response, ids)]).toEqual([]);
  });

  test("the messages of a batch that the function's answer names have failed", () => {
    expect([...failedIds(failures({ itemIdentifier: "m2" }), ids)]).toEqual(["m2"]);
  });

  test.each<[string, unknown]>([
    ["an empty id", failures({ itemIdentifier: "" })],
    ["null for an id", failures({ itemIdentifier: null })],
    ["another name for the id", failures({ itemIdentifier: "m1" }, { messageId: "m2" })],
    ["no object for a failure", failures("m1")],
    ["an id that is not in the batch", failures({ itemIdentifier: "m9" })],
    ["no list", { batchItemFailures: "m1" }],
  ])("all failed if it answers with %s", (_, response) => {
    expect([...failedIds(response, ids)]).toEqual(ids);
  });
});
