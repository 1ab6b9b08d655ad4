import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type QueueMessage, type QueueSender, queueSender, UnsentMessagesError } from "../../adapters/sqs.ts";
import { queue as queueType } from "../../local/program/services/sqs.ts";
import { Queues } from "../../local/sqs/queues.ts";
import { Sqs } from "../../local/sqs/sqs.ts";
import { Store } from "../../local/store.ts";
import { clientOptions, type RunningEndpoint, region, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, declared, resources } from "../support/program/declared-iam.ts";

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
let sender: QueueSender;
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
  sender = queueSender(url, async () => {
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
const bodies = () =>
  queue()
    .messages()
    .map(({ body }) => body);
const messages = (count: number): QueueMessage[] =>
  Array.from({ length: count }, (_, index) => ({ body: `m${index}` }));
const calls = () => endpoint.calls.since(0).calls.filter(({ operation }) => operation === "SendMessageBatch").length;

test("a message is sent, at once or with a delay", async () => {
  await sender.send({ body: "now" });
  await sender.send({ body: "later", delaySeconds: 60 });
  expect(bodies()).toEqual(["now", "later"]);
  expect(queue().counts()).toEqual({ visible: 1, inFlight: 0, delayed: 1 });
  expect(clients).toBe(1);
});

describe("many messages", () => {
  test("take a call for each ten", async () => {
    await sender.sendAll(messages(23));
    expect(bodies()).toEqual(messages(23).map(({ body }) => body));
    expect(calls()).toBe(3);
  });

  test("take a call for each MiB", async () => {
    const large = ["a", "b", "c"].map((letter) => ({ body: letter.repeat(500_000) }));
    await sender.sendAll(large);
    expect(bodies().map((body) => body[0])).toEqual(["a", "b", "c"]);
    expect(calls()).toBe(2);
  });

  test("take no call if there are none", async () => {
    await sender.sendAll([]);
    expect([calls(), clients]).toEqual([0, 0]);
  });
});

describe("what cannot be sent is told, once all others are", () => {
  test("because SQS refuses it", async () => {
    const failure = await sender.sendAll([{ body: "a" }, { body: "\u0000" }, { body: "b" }]).catch((error) => error);
    expect(failure).toBeInstanceOf(UnsentMessagesError);
    expect(failure).toMatchObject({
      message: "1 messages could not be sent",
      messages: [{ body: "\u0000" }],
      cause: { Code: "InvalidMessageContents" },
    });
    expect(bodies()).toEqual(["a", "b"]);
    expect(calls()).toBe(1);
  });

  test("because a call fails however often it is repeated", async () => {
    const fault = {
      service: "sqs",
      operation: "SendMessageBatch",
      when: "before",
      kind: "error",
      status: 400,
    } as const;
    endpoint.faults.put([{ ...fault, match: "m12", code: "Broken", times: 10 }]);
    const failure = await sender.sendAll(messages(21)).catch((error) => error);
    expect(failure.messages).toEqual(messages(21).slice(10, 20));
    expect(bodies()).toEqual(
      messages(21)
        .filter((_, index) => index < 10 || index >= 20)
        .map(({ body }) => body),
    );
  });
});

test("a throttled call is repeated", async () => {
  endpoint.faults.put([{ service: "sqs", operation: "SendMessage", when: "before", kind: "throttle" }]);
  await sender.send({ body: "a" });
  expect(bodies()).toEqual(["a"]);
});

test("entries that SQS could not take for its own reasons are sent again, and no others", async () => {
  const sent: string[][] = [];
  const busy = {
    send: async ({ input }: { input: { Entries: { Id: string; MessageBody: string }[] } }) => {
      sent.push(input.Entries.map(({ MessageBody }) => MessageBody));
      const failed = input.Entries.filter(({ MessageBody }) => MessageBody === "m1" && sent.length < 3);
      return { Failed: failed.map(({ Id }) => ({ Id, Code: "InternalError", SenderFault: false })) };
    },
  };
  await queueSender(url, async () => busy as unknown as SQSClient).sendAll(messages(3));
  expect(sent).toEqual([["m0", "m1", "m2"], ["m1"], ["m1"]]);
});
