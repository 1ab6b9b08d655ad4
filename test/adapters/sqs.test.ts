import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { jobQueue } from "../../adapters/sqs.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import { queue as queueType } from "../../emulators/pulumi/services/sqs.ts";
import { Queues } from "../../emulators/sqs/queues.ts";
import { Sqs } from "../../emulators/sqs/sqs.ts";
import { Store } from "../../emulators/store.ts";
import {
  clientOptions,
  type RunningEndpoint,
  region,
  startEndpoint,
} from "../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, declared, resources } from "../../emulators/test/support/declared-iam.ts";

const { outputs } = queueType.compute("jobs", { name: "jobs" }, region, "000000000000");
const url = String(outputs.url);
const program = resources(aRole("sender", [allow("sqs:SendMessage", String(outputs.arn))]), [
  declared(queueType.type, "jobs", { maxMessageSize: 1_048_576 }, outputs),
]);

let store: Store;
let queues: Queues;
let endpoint: RunningEndpoint;
let client: SQSClient;
let clients: number;
let sender: Queue<string>;
beforeEach(async () => {
  store = new Store(":memory:");
  clients = 0;
  endpoint = await startEndpoint({
    resources: program,
    services: ({ clock }) => {
      queues = new Queues({ resources: program, store, clock });
      return [new Sqs(queues)];
    },
  });
  const options = clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("sender")));
  client = new SQSClient({ ...options, maxAttempts: 3, useQueueUrlAsEndpoint: false });
  sender = jobQueue(url, async () => {
    clients += 1;
    return client;
  });
});
afterEach(async () => {
  client.destroy();
  queues.close();
  await endpoint.close();
  store.close();
});

const queue = () => queues.byName("jobs");
const received = () =>
  queue()
    .messages()
    .map(({ body }) => JSON.parse(body));
const jobs = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);
const calls = () => endpoint.calls.since(0).calls.filter(({ operation }) => operation === "SendMessageBatch").length;

test("a job is sent as JSON, at once or with a delay", async () => {
  await sender.send("now");
  await sender.send("later", 60);
  expect(received()).toEqual(["now", "later"]);
  expect(queue().counts()).toEqual({ visible: 1, inFlight: 0, delayed: 1 });
  expect(clients).toBe(1);
});

test("a job can be delayed by at most fifteen minutes", async () => {
  await sender.send("much later", 86_400);
  expect(endpoint.calls.since(0).calls.filter(({ operation }) => operation === "SendMessage")).toHaveLength(1);
  expect(queue().counts()).toEqual({ visible: 0, inFlight: 0, delayed: 1 });
});

describe("many jobs", () => {
  test("sending many jobs takes one call for every ten jobs", async () => {
    await sender.sendAll(jobs(23));
    expect(received()).toEqual(jobs(23));
    expect(calls()).toBe(3);
  });

  test("sending many jobs takes one call for every MiB", async () => {
    const large = ["a", "b", "c"].map((letter) => letter.repeat(500_000));
    await sender.sendAll(large);
    expect(received().map((job) => job[0])).toEqual(["a", "b", "c"]);
    expect(calls()).toBe(2);
  });

  test("sending no jobs takes no call", async () => {
    await sender.sendAll([]);
    expect([calls(), clients]).toEqual([0, 0]);
  });
});

describe("what cannot be sent is told, once all others are", () => {
  test("a job that SQS refuses is reported once all others are sent", async () => {
    const failure = await sender.sendAll(["a", "\uffff", "b"]).catch((error) => error);
    expect(failure).toMatchObject({
      message: "1 messages could not be sent",
      cause: { Code: "InvalidMessageContents" },
    });
    expect(received()).toEqual(["a", "b"]);
    expect(calls()).toBe(1);
  });

  test("jobs whose call keeps failing are reported once all others are sent", async () => {
    const fault = {
      service: "sqs",
      operation: "SendMessageBatch",
      when: "before",
      kind: "error",
      status: 400,
    } as const;
    endpoint.faults.put([{ ...fault, match: "m12", code: "Broken", times: 10 }]);
    const failure = await sender.sendAll(jobs(21)).catch((error) => error);
    expect(failure.message).toBe("10 messages could not be sent");
    expect(received()).toEqual(jobs(21).filter((_, index) => index < 10 || index >= 20));
  });
});

test("a throttled call to SQS is repeated", async () => {
  endpoint.faults.put([{ service: "sqs", operation: "SendMessage", when: "before", kind: "throttle" }]);
  await sender.send("a");
  expect(received()).toEqual(["a"]);
});

test("jobs that SQS could not accept for internal reasons are sent again, and no others", async () => {
  const sent: string[][] = [];
  const busy = {
    send: async ({ input }: { input: { Entries: { Id: string; MessageBody: string }[] } }) => {
      sent.push(input.Entries.map(({ MessageBody }) => JSON.parse(MessageBody)));
      const failed = input.Entries.filter(({ MessageBody }) => MessageBody === '"m1"' && sent.length < 3);
      return { Failed: failed.map(({ Id }) => ({ Id, Code: "InternalError", SenderFault: false })) };
    },
  };
  await jobQueue(url, async () => busy as unknown as SQSClient).sendAll(jobs(3));
  expect(sent).toEqual([["m0", "m1", "m2"], ["m1"], ["m1"]]);
});
