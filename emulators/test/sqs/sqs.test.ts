import {
  ListQueuesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { DeclaredResource } from "../../pulumi/resources.ts";
import { queue as queueType } from "../../pulumi/services/sqs.ts";
import { Queues } from "../../sqs/queues.ts";
import { Sqs } from "../../sqs/sqs.ts";
import { Store } from "../../store.ts";
import { clientOptions, type RunningEndpoint, region, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, declared, resources } from "../support/declared-iam.ts";

const arnOf = (name: string) => `arn:aws:sqs:${region}:000000000000:${name}`;
const urlOf = (name: string) => `https://sqs.${region}.amazonaws.com/000000000000/${name}`;

function aQueue(name: string, inputs: object = {}): DeclaredResource {
  const { outputs } = queueType.compute(name, { name }, region, "000000000000");
  return declared(queueType.type, name, inputs, outputs);
}

const redrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf("dead"), maxReceiveCount: 2 });
const program = resources(aRole("worker", [allow("sqs:*", `arn:aws:sqs:${region}:000000000000:*`)]), [
  aQueue("jobs", { visibilityTimeoutSeconds: 60, messageRetentionSeconds: 3_600, redrivePolicy }),
  aQueue("dead", { messageRetentionSeconds: 1_209_600 }),
  aQueue("slow", { delaySeconds: 30 }),
  aQueue("large", { maxMessageSize: 1_048_576 }),
]);

let store: Store;
let queues: Queues;
let endpoint: RunningEndpoint;
let client: SQSClient;
const clientOf = (role: string) =>
  new SQSClient({ ...clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))), useQueueUrlAsEndpoint: false });
beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: program,
    services: ({ clock }) => {
      queues = new Queues({ resources: program, store, clock });
      return [new Sqs(queues)];
    },
  });
  client = clientOf("worker");
});
afterEach(async () => {
  client.destroy();
  queues.close();
  await endpoint.close();
  store.close();
});

const advance = (seconds: number) => endpoint.clock.advance(seconds * 1000);
const send = (MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
  client.send(new SendMessageCommand({ QueueUrl: urlOf("jobs"), MessageBody, ...more }));
const jobs = () => queues.byName("jobs");
const receive = (name = "jobs") => queues.byName(name).receive({ max: 10, waitMs: 0 });
const bodies = async (name?: string) => (await receive(name)).map(({ body }) => body);
async function received() {
  const [message] = await receive();
  if (!message) throw new Error("There is no message");
  return message;
}

describe("a message that was sent", () => {
  test("a queue's message is received with its body, its sender and its times", async () => {
    const { MessageId } = await send("héllo");
    expect(await received()).toMatchObject({ id: MessageId, body: "héllo", senderId: "instance-1", receiveCount: 1 });
  });

  test("a received message is hidden from others for the queue's visibility timeout", async () => {
    await send("one");
    expect(await bodies()).toEqual(["one"]);
    expect(await bodies()).toEqual([]);
    advance(59);
    expect(await bodies()).toEqual([]);
    advance(2);
    expect(await received()).toMatchObject({ receiveCount: 2 });
  });

  test("a deleted message is gone; deleting it again is no error", async () => {
    await send("one");
    const message = await received();
    jobs().delete(message);
    jobs().delete(message);
    advance(61);
    expect(await bodies()).toEqual([]);
  });

  test("a message can be deleted only by the receipt handle of its last receive", async () => {
    await send("one");
    const first = await received();
    advance(61);
    await received();
    jobs().delete(first);
    advance(61);
    expect(jobs().counts().visible).toBe(1);
  });

  test("a message is received only after its own delay, or the queue's delay", async () => {
    await send("now");
    await send("later", { DelaySeconds: 900 });
    await send("slow", { QueueUrl: urlOf("slow") });
    await send("not slow", { QueueUrl: urlOf("slow"), DelaySeconds: 0 });
    expect(await bodies()).toEqual(["now"]);
    expect(await bodies("slow")).toEqual(["not slow"]);
    expect(queues.byName("jobs").counts()).toMatchObject({ delayed: 1 });
    advance(31);
    expect(await bodies("slow")).toContain("slow");
    advance(900);
    expect(await bodies()).toContain("later");
  });

  test("a message is dropped after the queue's retention period", async () => {
    await send("one");
    advance(3_601);
    expect(await bodies()).toEqual([]);
  });

  test("a queue's messages survive a restart", async () => {
    await send("one");
    await send("two");
    const [, second] = await receive();
    if (second) jobs().delete(second);
    const restarted = new Queues({ resources: program, store, clock: endpoint.clock });
    expect(restarted.byName("jobs").counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    restarted.close();
    const without = new Queues({ resources: resources([aQueue("other")]), store, clock: endpoint.clock });
    expect(without.all.map((queue) => queue.counts().visible)).toEqual([0]);
    expect(store.collection("sqs-message").all()).toEqual([]);
    without.close();
  });
});

describe("a receive that waits", () => {
  test("a waiting receive ends as soon as a message is sent", async () => {
    const waiting = jobs().receive({ max: 1, waitMs: 20_000 });
    await send("one");
    expect(await waiting).toMatchObject([{ body: "one" }]);
  });

  test("a waiting receive ends without messages when its time is over, by the clock", async () => {
    const waiting = queues.byName("jobs").receive({ max: 1, waitMs: 20_000 });
    advance(20);
    expect(await waiting).toEqual([]);
  });

  test("a waiting receive ends when a message becomes visible", async () => {
    await send("later", { DelaySeconds: 15 });
    const waiting = queues.byName("jobs").receive({ max: 1, waitMs: 20_000 });
    advance(15);
    expect(await waiting).toMatchObject([{ body: "later" }]);
  });
});

describe("a batch", () => {
  const entry = (Id: string, MessageBody: string, more: object = {}) => ({ Id, MessageBody, ...more });
  const sendBatch = (Entries: object[], name = "jobs") =>
    client.send(new SendMessageBatchCommand({ QueueUrl: urlOf(name), Entries: Entries as never }));

  test("a batch of messages is sent as far as possible, and the failed entries are named", async () => {
    const { Successful, Failed } = await sendBatch([
      entry("a", "fine"),
      entry("b", "\u0000"),
      entry("c", "late", { DelaySeconds: 901 }),
    ]);
    expect(Successful?.map(({ Id }) => Id)).toEqual(["a"]);
    expect(Failed).toEqual([
      expect.objectContaining({ Id: "b", SenderFault: true, Code: "InvalidMessageContents" }),
      expect.objectContaining({ Id: "c", SenderFault: true, Code: "InvalidParameterValue" }),
    ]);
    expect(await bodies()).toEqual(["fine"]);
  });

  test.each([
    ["none", [], "EmptyBatchRequest"],
    ["more than ten", Array.from({ length: 11 }, (_, i) => entry(String(i), "x")), "TooManyEntriesInBatchRequest"],
    ["two with one id", [entry("a", "x"), entry("a", "y")], "BatchEntryIdsNotDistinct"],
    ["1 MiB in all", [entry("a", "x".repeat(600_000)), entry("b", "y".repeat(600_000))], "BatchRequestTooLong"],
  ])("a batch of messages with %s is refused as a whole", async (_, entries, name) => {
    await expect(sendBatch(entries, "large")).rejects.toMatchObject({ name });
  });
});

describe("the dead letters", () => {
  async function giveUp(body: string): Promise<void> {
    await send(body);
    for (let round = 0; round < 3; round++) {
      await receive();
      advance(61);
    }
  }

  test("a message that was received as often as the queue allows becomes a dead letter, with its source", async () => {
    const sent = await send("poison");
    for (const count of [1, 2]) {
      expect(await received()).toMatchObject({ receiveCount: count });
      advance(61);
    }
    expect(await bodies()).toEqual([]);
    const [dead] = await receive("dead");
    expect(dead).toMatchObject({ id: sent.MessageId, body: "poison", deadLetterSourceArn: arnOf("jobs") });
  });

  test("the age of a dead letter counts from its first sending", async () => {
    await giveUp("poison");
    advance(1_209_600 - 200);
    expect(queues.byName("dead").counts().visible).toBe(1);
    advance(200);
    expect(queues.byName("dead").counts().visible).toBe(0);
  });

  test("dead letters are replayed to their source as new messages", async () => {
    await giveUp("poison");
    expect(queues.replay("dead")).toBe(1);
    expect(await received()).toMatchObject({ body: "poison", receiveCount: 1 });
    expect(queues.byName("dead").counts().visible).toBe(0);
  });
});

describe("a call is refused in AWS's words", () => {
  const nobody = urlOf("nobody");
  test.each<[string, () => Promise<unknown>, object]>([
    ["for no queue", () => send("x", { QueueUrl: nobody }), { name: "QueueDoesNotExist" }],
    ["with an empty body", () => send(""), { name: "MissingParameter" }],
    ["with what XML cannot hold", () => send("a\u0000b"), { name: "InvalidMessageContents" }],
    ["above the queue's size", () => send("x".repeat(262_145)), { message: expect.stringContaining("262144 bytes") }],
    [
      "above 1 MiB",
      () => send("x".repeat(1_048_577), { QueueUrl: urlOf("large") }),
      { message: expect.stringContaining("1048576") },
    ],
    [
      "for what is not played",
      () => send("x", { MessageGroupId: "g" }),
      { message: expect.stringContaining("MessageGroupId") },
    ],
    ["for an unknown operation", () => client.send(new ListQueuesCommand({})), { name: "UnknownOperationException" }],
  ])("%s", async (_, call, error) => {
    await expect(call()).rejects.toMatchObject(error);
  });

  test("a message of 1 MiB is accepted if the queue allows it", async () => {
    await send("x".repeat(1_048_576), { QueueUrl: urlOf("large") });
  });
});

describe("a right", () => {
  test("a right of SQS is on the queue, and a batch needs the same right as a single call", async () => {
    const sender = resources(aRole("sender", [allow("sqs:SendMessage", arnOf("jobs"))]));
    const own = new Store(":memory:");
    const other = await startEndpoint({
      resources: sender,
      services: ({ clock }) => [new Sqs(new Queues({ resources: program, store: own, clock }))],
    });
    const keys = other.keysOf(aPrincipal("sender"));
    const sqs = new SQSClient({ ...clientOptions(other.url, keys), useQueueUrlAsEndpoint: false });
    await sqs.send(new SendMessageCommand({ QueueUrl: urlOf("jobs"), MessageBody: "x" }));
    const Entries = [{ Id: "a", MessageBody: "x" }];
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: urlOf("jobs"), Entries }));
    const elsewhere = sqs.send(new SendMessageCommand({ QueueUrl: urlOf("dead"), MessageBody: "x" }));
    await expect(elsewhere).rejects.toThrow(`sqs:SendMessage on resource: ${arnOf("dead")}`);
    sqs.destroy();
    await other.close();
    own.close();
  });
});

test("faults affect calls to SQS like those of every service", async () => {
  endpoint.faults.put([{ service: "sqs", operation: "SendMessage", when: "after", kind: "error", status: 503 }]);
  await expect(send("one")).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
  expect(await bodies()).toEqual(["one"]);
});
