import { createHash } from "node:crypto";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { DeclaredResource } from "../../../local/program/resources.ts";
import { queue as queueType } from "../../../local/program/services/sqs.ts";
import { Queues } from "../../../local/sqs/queues.ts";
import { Sqs } from "../../../local/sqs/sqs.ts";
import { Store } from "../../../local/store.ts";
import { clientOptions, type RunningEndpoint, region, startEndpoint } from "../../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, declared, resources } from "../../support/program/declared-iam.ts";

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
async function receive(more: Partial<ReceiveMessageCommandInput> = {}) {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: urlOf("jobs"), MaxNumberOfMessages: 10, ...more }),
  );
  return Messages;
}
const bodies = async (more?: Partial<ReceiveMessageCommandInput>) => (await receive(more)).map(({ Body }) => Body);
const handleOf = async () => (await receive())[0]?.ReceiptHandle ?? "";
const remove = (ReceiptHandle: string) =>
  client.send(new DeleteMessageCommand({ QueueUrl: urlOf("jobs"), ReceiptHandle }));
const hide = (ReceiptHandle: string, VisibilityTimeout: number) =>
  client.send(new ChangeMessageVisibilityCommand({ QueueUrl: urlOf("jobs"), ReceiptHandle, VisibilityTimeout }));

describe("a message that was sent", () => {
  test("is received with its body, and with what SQS knows of it if that is asked for", async () => {
    const { MessageId } = await send("héllo");
    const [message] = await receive({ MessageSystemAttributeNames: ["All"] });
    expect(message).toMatchObject({ MessageId, Body: "héllo", ReceiptHandle: expect.stringMatching(/./) });
    expect(message?.Attributes).toEqual({
      SenderId: "instance-1",
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      ApproximateReceiveCount: "1",
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
    });
  });

  test("carries its attributes, which are told by name or prefix, with a checksum of those", async () => {
    const MessageAttributes = {
      tenant: { DataType: "String", StringValue: "t_1" },
      "trace.id": { DataType: "Number", StringValue: "17" },
      "trace.raw": { DataType: "Binary", BinaryValue: new Uint8Array([1, 2, 3]) },
    };
    // As AWS's documentation composes it: lengths of four bytes, and the kind of the value.
    const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
    const digest = (name: string, type: string, kind: number, value: Buffer) =>
      Buffer.concat([part(Buffer.from(name)), part(Buffer.from(type)), Buffer.from([kind]), part(value)]);
    const md5 = (...parts: Buffer[]) => createHash("md5").update(Buffer.concat(parts)).digest("hex");
    const id = digest("trace.id", "Number", 1, Buffer.from("17"));
    const raw = digest("trace.raw", "Binary", 2, Buffer.from([1, 2, 3]));

    const sent = await send("body", { MessageAttributes });
    expect(sent.MD5OfMessageAttributes).toBe(md5(digest("tenant", "String", 1, Buffer.from("t_1")), id, raw));
    const [message] = await receive({ MessageAttributeNames: ["trace.*"], VisibilityTimeout: 0 });
    expect(Object.keys(message?.MessageAttributes ?? {})).toEqual(["trace.id", "trace.raw"]);
    expect(message?.MessageAttributes?.["trace.raw"]?.BinaryValue).toEqual(new Uint8Array([1, 2, 3]));
    expect(message?.MD5OfMessageAttributes).toBe(md5(id, raw));
  });

  test("is hidden from others once it is received, for the queue's visibility timeout", async () => {
    await send("one");
    expect(await bodies()).toEqual(["one"]);
    expect(await bodies()).toEqual([]);
    advance(59);
    expect(await bodies()).toEqual([]);
    advance(2);
    const [again] = await receive({ MessageSystemAttributeNames: ["ApproximateReceiveCount"] });
    expect(again?.Attributes).toEqual({ ApproximateReceiveCount: "2" });
  });

  test("is gone once it is deleted; deleting it again is no error", async () => {
    await send("one");
    const handle = await handleOf();
    await remove(handle);
    await remove(handle);
    advance(61);
    expect(await bodies()).toEqual([]);
  });

  test("is deleted by the receipt of its newest receive alone", async () => {
    await send("one");
    const first = await handleOf();
    advance(61);
    const second = await handleOf();
    await remove(first);
    advance(61);
    expect(second).not.toBe(first);
    expect(queues.byName("jobs").counts().visible).toBe(1);
  });

  test("comes back at once if its visibility timeout is set to 0, and later if it is prolonged", async () => {
    await send("one");
    await hide(await handleOf(), 0);
    const handle = await handleOf();
    await hide(handle, 600);
    advance(599);
    expect(queues.byName("jobs").counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    advance(2);
    expect(queues.byName("jobs").counts()).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    await expect(hide(handle, 10)).rejects.toMatchObject({ name: "MessageNotInflight" });
  });

  test("is hidden for 12 hours at the most, from its receive on", async () => {
    await send("one");
    const handle = await handleOf();
    advance(30);
    await expect(hide(handle, 43_200)).rejects.toThrow("beyond the limit [43200 seconds]");
    await hide(handle, 43_200 - 60);
  });

  test("is received after its delay, its own or the queue's", async () => {
    await send("now");
    await send("later", { DelaySeconds: 900 });
    await send("slow", { QueueUrl: urlOf("slow") });
    await send("not slow", { QueueUrl: urlOf("slow"), DelaySeconds: 0 });
    expect(await bodies()).toEqual(["now"]);
    expect(await bodies({ QueueUrl: urlOf("slow") })).toEqual(["not slow"]);
    expect(queues.byName("jobs").counts()).toMatchObject({ delayed: 1 });
    advance(31);
    expect(await bodies({ QueueUrl: urlOf("slow") })).toContain("slow");
    advance(900);
    expect(await bodies()).toContain("later");
  });

  test("is dropped when the queue's retention is over", async () => {
    await send("one");
    advance(3_601);
    expect(await bodies()).toEqual([]);
  });

  test("outlives the process", async () => {
    await send("one");
    await send("two");
    await remove(await handleOf());
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
  test("ends as soon as a message is sent", async () => {
    const waiting = bodies({ WaitTimeSeconds: 20 });
    await send("one");
    expect(await waiting).toEqual(["one"]);
  });

  test("ends with nothing when its time is over, by the clock", async () => {
    const waiting = queues.byName("jobs").receive({ max: 1, waitMs: 20_000 });
    advance(20);
    expect(await waiting).toEqual([]);
  });

  test("ends when a message becomes visible", async () => {
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

  test("is sent as far as it can be, and says which entries failed", async () => {
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

  test("is received and deleted as a batch too", async () => {
    await sendBatch(Array.from({ length: 10 }, (_, index) => entry(String(index), `m${index}`)));
    const received = await receive();
    expect(received).toHaveLength(10);
    const Entries = received.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    Entries[3] = { Id: "3", ReceiptHandle: "nonsense" };
    const answer = await client.send(new DeleteMessageBatchCommand({ QueueUrl: urlOf("jobs"), Entries }));
    expect(answer.Successful).toHaveLength(9);
    expect(answer.Failed).toMatchObject([{ Id: "3", Code: "ReceiptHandleIsInvalid", SenderFault: true }]);
    advance(61);
    expect(await bodies()).toEqual(["m3"]);
  });

  test.each([
    ["none", [], "EmptyBatchRequest"],
    ["more than ten", Array.from({ length: 11 }, (_, i) => entry(String(i), "x")), "TooManyEntriesInBatchRequest"],
    ["two with one id", [entry("a", "x"), entry("a", "y")], "BatchEntryIdsNotDistinct"],
    ["one with a wrong id", [entry("a b", "x")], "InvalidBatchEntryId"],
    ["1 MiB in all", [entry("a", "x".repeat(600_000)), entry("b", "y".repeat(600_000))], "BatchRequestTooLong"],
  ])("with %s is refused as a whole", async (_, entries, name) => {
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

  test("take what was received as often as the queue allows, and say where it came from", async () => {
    const sent = await send("poison");
    for (const count of ["1", "2"]) {
      const [message] = await receive({ MessageSystemAttributeNames: ["All"] });
      expect(message?.Attributes?.ApproximateReceiveCount).toBe(count);
      advance(61);
    }
    expect(await bodies()).toEqual([]);
    const [dead] = await receive({ QueueUrl: urlOf("dead"), MessageSystemAttributeNames: ["All"] });
    expect(dead).toMatchObject({
      MessageId: sent.MessageId,
      Body: "poison",
      Attributes: { DeadLetterQueueSourceArn: arnOf("jobs") },
    });
  });

  test("are of their own age: the source's time counts", async () => {
    await giveUp("poison");
    advance(1_209_600 - 200);
    expect(queues.byName("dead").counts().visible).toBe(1);
    advance(200);
    expect(queues.byName("dead").counts().visible).toBe(0);
  });

  test("are replayed to their source as new messages", async () => {
    await giveUp("poison");
    await client.send(new StartMessageMoveTaskCommand({ SourceArn: arnOf("dead") }));
    const [message] = await receive({ MessageSystemAttributeNames: ["ApproximateReceiveCount"] });
    expect(message).toMatchObject({ Body: "poison", Attributes: { ApproximateReceiveCount: "1" } });
    expect(queues.byName("dead").counts().visible).toBe(0);
  });

  test("know whose they are; no other queue is replayed", async () => {
    const sources = await client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: urlOf("dead") }));
    expect(sources.queueUrls).toEqual([urlOf("jobs")]);
    const move = new StartMessageMoveTaskCommand({ SourceArn: arnOf("jobs") });
    await expect(client.send(move)).rejects.toThrow("must be configured as a Dead Letter Queue");
  });
});

describe("a queue", () => {
  test("is found by its name, and tells its attributes", async () => {
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: "jobs" }));
    expect(QueueUrl).toBe(urlOf("jobs"));
    await send("one");
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
    expect(Attributes).toMatchObject({
      QueueArn: arnOf("jobs"),
      ApproximateNumberOfMessages: "1",
      VisibilityTimeout: "60",
      MessageRetentionPeriod: "3600",
      RedrivePolicy: redrivePolicy,
    });
  });

  test("is emptied", async () => {
    await send("one");
    await client.send(new PurgeQueueCommand({ QueueUrl: urlOf("jobs") }));
    expect(await bodies()).toEqual([]);
  });
});

describe("a call is refused in AWS's words", () => {
  const nobody = urlOf("nobody");
  test.each<[string, () => Promise<unknown>, object]>([
    ["for no queue", () => send("x", { QueueUrl: nobody }), { name: "QueueDoesNotExist" }],
    ["for an unknown receipt", () => remove("nonsense"), { name: "ReceiptHandleIsInvalid" }],
    ["with an empty body", () => send(""), { name: "MissingParameter" }],
    ["with what XML cannot hold", () => send("a\u0000b"), { name: "InvalidMessageContents" }],
    ["above the queue's size", () => send("x".repeat(262_145)), { message: expect.stringContaining("262144 bytes") }],
    [
      "above 1 MiB",
      () => send("x".repeat(1_048_577), { QueueUrl: urlOf("large") }),
      { message: expect.stringContaining("1048576") },
    ],
    [
      "for 11 messages",
      () => receive({ MaxNumberOfMessages: 11 }),
      { message: expect.stringContaining("between 1 and 10") },
    ],
    [
      "waiting too long",
      () => receive({ WaitTimeSeconds: 21 }),
      { message: expect.stringContaining("between 0 and 20") },
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

  test("and with the older code that query clients know", async () => {
    await expect(send("x", { QueueUrl: nobody })).rejects.toMatchObject({
      Error: { Type: "Sender", Code: "AWS.SimpleQueueService.NonExistentQueue" },
    });
  });

  test("1 MiB is taken where the queue allows it", async () => {
    await send("x".repeat(1_048_576), { QueueUrl: urlOf("large") });
  });
});

describe("a right", () => {
  test("is one on the queue, and a batch needs that of its single call", async () => {
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
    const taken = sqs.send(new ReceiveMessageCommand({ QueueUrl: urlOf("jobs") }));
    await expect(taken).rejects.toMatchObject({ name: "AccessDeniedException" });
    sqs.destroy();
    await other.close();
    own.close();
  });
});

test("faults strike calls as those of every service", async () => {
  endpoint.faults.put([{ service: "sqs", operation: "SendMessage", when: "after", kind: "error", status: 503 }]);
  await expect(send("one")).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
  expect(await bodies()).toEqual(["one"]);
});
