import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import type { Functions } from "../../lambda/functions.ts";
import { QueuePoller } from "../../lambda/queue-poller.ts";
import { eventSourceMapping } from "../../pulumi/services/event-source-mapping.ts";
import { queue as queueType } from "../../pulumi/services/sqs.ts";
import { Queues } from "../../sqs/queues.ts";
import { Store } from "../../store.ts";
import { declared, resources } from "../support/declared-iam.ts";

const region = "eu-central-1";
const arnOf = (name: string) => `arn:aws:sqs:${region}:000000000000:${name}`;
const functionArn = `arn:aws:lambda:${region}:000000000000:function:worker`;

type Records = { messageId: string; body: string; attributes: { ApproximateReceiveCount: string } }[];

/** The batches that the function got. */
let batches: Records[];
/** The function's reaction to a batch. */
let work: (records: Records) => Promise<unknown>;
let clock: Clock;
let store: Store;
let queues: Queues;
let poller: QueuePoller;
beforeEach(() => {
  [batches, work] = [[], async () => null];
  [clock, store] = [new Clock(), new Store(":memory:")];
});
afterEach(() => {
  poller.close();
  queues.close();
  store.close();
});

const functions = {
  byArn: () => ({
    settings: { name: "worker" },
    invoke: async ({ Records }: { Records: Records }) => {
      batches.push(Records);
      return work(Records);
    },
  }),
} as unknown as Functions;

function aQueue(name: string, inputs: object) {
  return declared(queueType.type, name, inputs, queueType.compute(name, { name }, region, "000000000000").outputs);
}

function start(mapping: object = {}): void {
  const redrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf("dead"), maxReceiveCount: 3 });
  const program = resources([
    aQueue("jobs", { visibilityTimeoutSeconds: 60, redrivePolicy }),
    aQueue("dead", {}),
    declared("aws:lambda/function:Function", "worker", {}, { name: "worker", arn: functionArn }),
    declared(eventSourceMapping.type, "worker", {
      eventSourceArn: arnOf("jobs"),
      functionName: functionArn,
      functionResponseTypes: ["ReportBatchItemFailures"],
      ...mapping,
    }),
  ]);
  queues = new Queues({ resources: program, store, clock });
  poller = new QueuePoller({ resources: program, queues, functions, clock, region });
  poller.start();
}

const send = (...bodies: string[]) => {
  for (const body of bodies) queues.byName("jobs").send({ body, senderId: "test" });
};
const counts = (name = "jobs") => queues.byName(name).counts();
const received = () => batches.map((records) => records.map(({ body }) => body));

test("messages of a queue invoke the function, and are deleted when it has succeeded", async () => {
  start();
  send("a", "b");
  await poller.idle();
  expect(received().flat()).toEqual(["a", "b"]);
  expect(counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

test("messages that were sent before the poller's start are found", async () => {
  start({ enabled: false });
  send("a");
  poller = new QueuePoller({
    resources: resources([
      declared("aws:lambda/function:Function", "worker", {}, { name: "worker", arn: functionArn }),
      declared(eventSourceMapping.type, "worker", { eventSourceArn: arnOf("jobs"), functionName: "worker" }),
    ]),
    queues,
    functions,
    clock,
    region,
  });
  poller.start();
  await poller.idle();
  expect(received()).toEqual([["a"]]);
});

describe("a failed message comes back after the visibility timeout", () => {
  test("only the messages that the function names as failed come back", async () => {
    start();
    work = async (records) => ({
      batchItemFailures: records
        .filter(({ body }) => body === "bad")
        .map(({ messageId }) => ({ itemIdentifier: messageId })),
    });
    send("good", "bad");
    await poller.idle();
    expect(counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    work = async () => null;
    clock.advance(60_000);
    await poller.idle();
    expect(received().at(-1)).toEqual(["bad"]);
    expect(batches.at(-1)?.[0]?.attributes.ApproximateReceiveCount).toBe("2");
    expect(counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  test.each<[string, () => Promise<unknown>]>([
    ["the function throws", () => Promise.reject(new Error("the store is down"))],
    ["its response cannot be read", async () => ({ batchItemFailures: [{ id: "?" }] })],
  ])("with all of its batch, if %s", async (_, answer) => {
    start();
    work = answer;
    send("a", "b");
    await poller.idle();
    expect(counts()).toEqual({ visible: 0, inFlight: 2, delayed: 0 });
  });

  test("a failed message goes to the dead letters after the queue's number of tries", async () => {
    start();
    work = () => Promise.reject(new Error("poison"));
    send("poison");
    await poller.idle();
    for (let round = 0; round < 4; round++) {
      clock.advance(60_000);
      await poller.idle();
    }
    expect(received()).toEqual([["poison"], ["poison"], ["poison"]]);
    expect([counts().inFlight, counts("dead").visible]).toEqual([0, 1]);
  });

  test("a failed message does not come back if the event source mapping does not report failures", async () => {
    start({ functionResponseTypes: [] });
    work = async (records) => ({ batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })) });
    send("a");
    await poller.idle();
    expect(counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });
});

describe("a batch", () => {
  test("a poller's batch holds as many messages as the mapping says", async () => {
    start({ batchSize: 2 });
    send("a", "b", "c");
    await poller.idle();
    expect(received().map((batch) => batch.length)).toEqual([2, 1]);
  });

  test("a poller's batch collects messages for as long as its window is open", async () => {
    start({ batchSize: 25, maximumBatchingWindowInSeconds: 30 });
    send("a");
    const idle = poller.idle();
    send(...Array.from({ length: 20 }, (_, index) => `m${index}`));
    await new Promise(setImmediate);
    expect(batches).toEqual([]);
    clock.advance(30_000);
    await idle;
    expect(received().map((batch) => batch.length)).toEqual([21]);
  });

  test("a poller's batch waits while the maximum number of batches is in progress", async () => {
    start({ batchSize: 1, scalingConfig: { maximumConcurrency: 2 } });
    const gates: (() => void)[] = [];
    work = () => new Promise((resolve) => gates.push(() => resolve(null)));
    send("a", "b", "c");
    await new Promise(setImmediate);
    expect(received()).toEqual([["a"], ["b"]]);
    gates[0]?.();
    await new Promise(setImmediate);
    expect(received()).toEqual([["a"], ["b"], ["c"]]);
    for (const open of gates) open();
    await poller.idle();
  });
});
