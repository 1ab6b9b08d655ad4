import { Readable } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import type { AwsAnswer } from "../../../adapters/aws.ts";
import {
  nativeBody,
  nativeEventsOf,
  nativeHeaders,
  requireMessage,
} from "../../../adapters/bedrock/native-messages.ts";
import { type HostEvent, ModelHostError } from "../../../domain/messages/model-host.ts";

const call = {
  identity: { tenantId: "t1", callerId: "dev" },
  region: "eu-central-1",
  modelId: "eu.m",
  body: '{"max_tokens":1,"messages":[]}',
  betas: [] as string[],
  headers: {},
};

function answerOf(pieces: readonly (string | Buffer)[], type = "text/event-stream; charset=utf-8"): AwsAnswer {
  const bytes = pieces.map((piece) => Buffer.from(piece));
  const text = async () => Buffer.concat(bytes).toString();
  return Object.assign(Readable.from(bytes), { status: 200, headers: { "content-type": type }, text }) as AwsAnswer;
}

async function textsOf(stream: AsyncIterable<readonly HostEvent[]>, texts: string[] = []): Promise<string[]> {
  for await (const events of stream) texts.push(...events.map(({ json }) => Buffer.from(json).toString()));
  return texts;
}

async function failureOf(stream: AsyncIterable<readonly HostEvent[]>, texts: string[] = []): Promise<ModelHostError> {
  const error: unknown = await textsOf(stream, texts).catch((reason) => reason);
  if (error instanceof ModelHostError) return error;
  throw new Error("nothing failed");
}

describe("the events of a native stream", () => {
  const events = ['{"type":"message_start","message":{"text":"é"}}', '{"type":"ping"}', '{"type":"message_stop"}'];
  const wire = Buffer.from(events.map((json) => `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`).join(""));

  test("the events of a native stream are read byte for byte, wherever the connection cuts them", async () => {
    for (let at = 0; at <= wire.length; at++) {
      const pieces = [wire.subarray(0, at), wire.subarray(at)].filter(({ length }) => length > 0);
      expect(await textsOf(nativeEventsOf(answerOf(pieces)))).toEqual(events);
    }
  });

  test.each([
    ["line ends of two bytes", 'event: a\r\ndata: {"type":"a"}\r\n\r\n', ['{"type":"a"}']],
    ["no space after the colon", 'data:{"type":"a"}\n\n', ['{"type":"a"}']],
    ["data over several lines", 'data: {"type":\ndata: "a"}\n\n', ['{"type":\n"a"}']],
    ["comments", ': hello\n\ndata: {"type":"a"}\n\n', ['{"type":"a"}']],
  ])("a native stream is read with %s", async (_, text, texts) => {
    expect(await textsOf(nativeEventsOf(answerOf([text])))).toEqual(texts);
  });

  test("counts of the host are taken where it gives them", async () => {
    const metrics =
      '{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":3,"outputTokenCount":4}}';
    const stream = nativeEventsOf(answerOf([`data: ${metrics}\n\n`]));
    for await (const [event] of stream) expect(event?.counts).toMatchObject({ input: 3, output: 4 });
    expect.assertions(1);
  });

  test("an error event ends a native stream after the events before it", async () => {
    const error = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    const seen: string[] = [];
    const failed = await failureOf(nativeEventsOf(answerOf([wire, `event: error\ndata: ${error}\n\n`])), seen);
    expect([failed.failure, failed.outcomeUnknown, seen]).toEqual(["unavailable", false, events]);
  });

  test("a native stream that ends inside an event is of unknown outcome", async () => {
    const failed = await failureOf(nativeEventsOf(answerOf([wire.subarray(0, -3)])));
    expect([failed.failure, failed.outcomeUnknown]).toEqual(["broken", true]);
  });

  test("an answer of status 200 that holds an exception is a failure", async () => {
    const exception = '{"Output":{"__type":"com.amazon.coral.service#UnknownOperationException"},"Version":"1.0"}';
    const failed = await failureOf(nativeEventsOf(answerOf([exception], "application/json")));
    expect([failed.failure, failed.outcomeUnknown]).toEqual(["broken", false]);
    expect(() => requireMessage(exception)).toThrow(ModelHostError);
    expect(() => requireMessage('{"__type":"ThrottlingException","message":"slow"}')).toThrow(
      expect.objectContaining({ failure: "throttled" }),
    );
  });
});

describe("a request to the Messages endpoint", () => {
  const bodyOf = (changes: object, stream = false) =>
    JSON.parse(nativeBody({ ...call, ...changes }, { stream }).toString());

  test("a native request names the model and asks for a stream in its body", () => {
    expect(bodyOf({}, true)).toEqual({ model: "eu.m", stream: true, max_tokens: 1, messages: [] });
    expect(bodyOf({})).toEqual({ model: "eu.m", max_tokens: 1, messages: [] });
  });

  test("a native request has the flags that the model is to know as a header, and a version", () => {
    const headers = { "anthropic-beta": "a,b", "anthropic-version": "2026-10-21" };
    expect(nativeHeaders({ ...call, headers, betas: ["a"] })).toEqual({
      ...{ "anthropic-beta": "a", "anthropic-version": "2026-10-21", "content-type": "application/json" },
    });
    expect(nativeHeaders(call)).toEqual({ "anthropic-version": "2023-06-01", "content-type": "application/json" });
  });

  test("a user's id that the endpoint refuses is sent as its hash, and any other metadata as it is", () => {
    for (const metadata of [undefined, { user_id: "user-1" }, { user_id: null }, "odd", null])
      expect(bodyOf({ metadata }).metadata).toEqual(metadata);
    const [one, same, other] = ['{"a":1}', '{"a":1}', "é"].map(
      (user_id) => bodyOf({ metadata: { user_id } }).metadata.user_id,
    );
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect([same === one, other === one]).toEqual([true, false]);
  });
});
