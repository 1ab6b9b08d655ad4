import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { Upstream, type UpstreamOptions } from "../../bedrock/upstream.ts";
import { ModelHostServer, question } from "../support/model-host-server.ts";

type Received = { path: string; headers: IncomingHttpHeaders; text: string; body: Record<string, unknown> };

/** A small server of the Messages API: it remembers what it received and answers what a test wants. */
const received: Received[] = [];
let answering: (response: ServerResponse) => void;
const upstream = createServer(async (request, response) => {
  const text = await textOf(request);
  received.push({ path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) });
  answering(response);
});
let url: string;

beforeAll(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterEach(() => {
  received.length = 0;
});
afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await once(upstream, "close");
});

const host = (options: Partial<UpstreamOptions> = {}) =>
  ModelHostServer.start({ upstream: new Upstream({ url, ...options }) });
const answerJson = (status: number, body: unknown) => {
  answering = (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};
const sse = (data: object & { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 1,
    },
  },
};
const delta = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const end = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];
const usage = { ...start.message.usage, output_tokens: 7 };
const answerStream = (...events: (object & { type: string })[]) => {
  answering = (response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(events.map(sse).join(""));
};

describe("a call is handed on", () => {
  test("a call is forwarded upstream with the API version and the flags as headers, and the model's public name", async () => {
    await using server = await host({ apiKey: "key-1" });
    answerJson(200, { usage: {} });
    const flags = ["context-1m-2025-08-07", "computer-use-2025-01-24"];
    await server.invoke(question("Hi", { anthropic_beta: flags, temperature: 0.5 }));
    expect(received).toMatchObject([
      {
        path: "/v1/messages",
        headers: {
          "anthropic-version": "2023-06-01",
          "anthropic-beta": flags.join(","),
          "x-api-key": "key-1",
        },
      },
    ]);
    expect(received[0]?.body).toEqual({
      model: "claude-sonnet-4-5-20250929",
      max_tokens: 1000,
      messages: [{ role: "user", content: "Hi" }],
      temperature: 0.5,
      stream: false,
    });
  });

  test("a call is forwarded upstream only after Bedrock's own checks", async () => {
    await using server = await host();
    await expect(server.invoke(question("Hi", { stream: true }))).rejects.toMatchObject({
      name: "ValidationException",
    });
    expect(received).toEqual([]);
  });
});

describe("numbers that JavaScript would round", () => {
  const numbers = '{"id":12345678901234567890,"share":1.0}';
  const tool = { name: "pay", input_schema: { type: "object", properties: {} } };
  const messages = [
    { role: "user", content: "pay" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "pay", input: "NUMBERS" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] },
  ];
  const sent = JSON.stringify(question("", { messages, tools: [tool] })).replace('"NUMBERS"', numbers);

  test("the numbers of a call go upstream as they were written", async () => {
    await using server = await host();
    answerJson(200, { usage: {}, input_tokens: 1 });
    await server.invoke(sent);
    await server.countTokens(sent);
    for (const { text } of received) expect(text).toContain(`"input":${numbers}`);
    expect(received).toHaveLength(2);
  });

  test("the numbers of an answer come back as they were written", async () => {
    await using server = await host();
    const whole = `{"content":[{"type":"tool_use","input":${numbers}}],"usage":{}}`;
    answering = (response) => response.writeHead(200, { "content-type": "application/json" }).end(whole);
    await server.invoke(question("Hi"));
    answering = (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`event: content_block_start\ndata: {"type":"content_block_start","content_block":${numbers}}\n\n`);
    await server.events(question("Hi"));
    const [answer, stream] = server.host.requests().map(({ chunks }) => chunks[0] ?? "");
    expect(answer).toBe(whole);
    expect(stream).toContain(numbers);
  });
});

test("the newest version of the Messages API goes upstream as the version", async () => {
  await using server = await host();
  answerJson(200, { usage: {} });
  const asked = { ...question("Hi"), anthropic_version: "2026-10-21" };
  await server.invoke(asked, "eu.anthropic.claude-sonnet-5");
  expect(received).toMatchObject([{ headers: { "anthropic-version": "2026-10-21" } }]);
});

test("an upstream whole message comes back unchanged, and its usage is counted", async () => {
  await using server = await host();
  const message = { id: "msg_1", content: [{ type: "text", text: "Hello" }], usage };
  answerJson(200, message);
  const answer = await server.invoke(question("Hi"));
  expect(answer.message).toEqual(message);
  expect(answer.headers).toMatchObject({
    "x-amzn-bedrock-input-token-count": "10",
    "x-amzn-bedrock-output-token-count": "7",
  });
  expect(server.host.requests()).toMatchObject([{ outcome: "complete", usage }]);
});

test("a count is requested upstream without the settings for the answer", async () => {
  await using server = await host();
  answerJson(200, { input_tokens: 42 });
  expect(await server.countTokens(question("Hi", { system: "Be kind.", temperature: 1 }))).toBe(42);
  expect(received).toMatchObject([{ path: "/v1/messages/count_tokens" }]);
  expect(received[0]?.body).toEqual({
    model: "claude-sonnet-4-5-20250929",
    messages: [{ role: "user", content: "Hi" }],
    system: "Be kind.",
  });
});

describe("a stream", () => {
  test("an upstream stream passes on the JSON of each event unchanged, without pings, and puts the metrics into message_stop", async () => {
    await using server = await host();
    answerStream(start, { type: "ping" }, delta("ä"), ...end);
    const events = await server.events(question("Hi"));
    expect(received[0]?.body.stream).toBe(true);
    expect(events.slice(0, -1)).toEqual([start, delta("ä"), end[0]]);
    expect(events.at(-1)).toEqual({
      type: "message_stop",
      "amazon-bedrock-invocationMetrics": {
        inputTokenCount: 10,
        outputTokenCount: 7,
        invocationLatency: expect.any(Number),
        firstByteLatency: expect.any(Number),
        cacheReadInputTokenCount: 20,
        cacheWriteInputTokenCount: 30,
      },
    });
    expect(server.host.requests()).toMatchObject([{ outcome: "complete", usage }]);
  });

  test("an upstream stream arrives as it is generated", async () => {
    await using server = await host();
    const responses = Promise.withResolvers<ServerResponse>();
    answering = (response) => responses.resolve(response);
    const chunks = server.chunks(question("Hi"));
    const first = chunks.next();
    const response = await responses.promise;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(start));
    expect(JSON.parse((await first).value ?? "")).toEqual(start);
    response.write(sse(delta("a")));
    expect(JSON.parse((await chunks.next()).value ?? "")).toEqual(delta("a"));
    response.end(end.map(sse).join(""));
    await chunks.next();
    await chunks.next();
    expect(await chunks.next()).toMatchObject({ done: true });
  });

  test("an upstream stream whose caller leaves is read to its end and counted", async () => {
    await using server = await host();
    const responses = Promise.withResolvers<ServerResponse>();
    answering = (response) => responses.resolve(response);
    const left = Promise.withResolvers<void>();
    server.http.once("request", (_, outgoing) => outgoing.once("close", left.resolve));
    const leaving = new AbortController();
    const chunks = server.chunks(question("Hi"), undefined, leaving.signal);
    const first = chunks.next();
    const response = await responses.promise;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(start));
    await first;
    const second = chunks.next();
    leaving.abort();
    await expect(second).rejects.toBeDefined();
    await left.promise;
    response.end([delta("a"), ...end].map(sse).join(""));
    await server.host.idle();
    expect(server.host.requests()).toMatchObject([{ outcome: "aborted", usage }]);
    expect(server.host.requests()[0]?.chunks).toHaveLength(1);
  });

  test.each([
    ["overloaded_error", "ServiceUnavailableException"],
    ["rate_limit_error", "ThrottlingException"],
    ["timeout_error", "ModelTimeoutException"],
    ["api_error", "InternalServerException"],
    ["something_new", "ModelStreamErrorException"],
  ])("an upstream stream with the error %s ends with %s", async (type, name) => {
    await using server = await host();
    answerStream(start, { type: "error", error: { type, message: "as told" } } as { type: string });
    await expect(server.events(question("Hi"))).rejects.toMatchObject({ name, message: "as told" });
    expect(server.host.requests()).toMatchObject([{ outcome: "failed", usage: start.message.usage }]);
  });

  test("an upstream stream that breaks off ends with ModelStreamErrorException", async () => {
    await using server = await host();
    answering = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(sse(start), () => response.destroy());
    };
    await expect(server.events(question("Hi"))).rejects.toMatchObject({
      name: "ModelStreamErrorException",
      message: expect.stringContaining("broke off"),
    });
  });
});

describe("the server's refusals become Bedrock's", () => {
  test.each([
    [400, "ValidationException", 400],
    [401, "AccessDeniedException", 403],
    [403, "AccessDeniedException", 403],
    [404, "ResourceNotFoundException", 404],
    [413, "ValidationException", 400],
    [429, "ThrottlingException", 429],
    [500, "InternalServerException", 500],
    [503, "ServiceUnavailableException", 503],
    [529, "ServiceUnavailableException", 503],
  ])("an upstream refusal with %i becomes %s, with its message", async (status, name, httpStatusCode) => {
    await using server = await host();
    answerJson(status, { type: "error", error: { type: "x", message: "prompt is too long" } });
    const refusal = { name, message: "prompt is too long", $metadata: { httpStatusCode } };
    await expect(server.invoke(question("Hi"))).rejects.toMatchObject(refusal);
    await expect(server.events(question("Hi"))).rejects.toMatchObject(refusal);
    await expect(server.countTokens(question("Hi"))).rejects.toMatchObject(refusal);
  });

  test("an upstream server that cannot be reached is named by its address in the error", async () => {
    await using server = await host({ url: "http://127.0.0.1:1" });
    await expect(server.invoke(question("Hi"))).rejects.toMatchObject({
      name: "ServiceUnavailableException",
      message: expect.stringMatching(/^The upstream http:\/\/127\.0\.0\.1:1 cannot be reached: /),
      $metadata: { httpStatusCode: 503 },
    });
  });
});

test("faults also work with an upstream server", async () => {
  await using server = await host();
  answerStream(start, delta("a"), ...end);
  server.host.fail({ error: "throttlingException", after: 2 });
  await expect(server.events(question("Hi"))).rejects.toMatchObject({ name: "ThrottlingException" });
  await server.host.idle();
  expect(server.host.requests()).toMatchObject([{ outcome: "failed", error: "throttlingException", usage }]);
});

test("closing the host ends running upstream calls", async () => {
  await using server = await host();
  const waiting = Promise.withResolvers<void>();
  answering = () => waiting.resolve();
  const call = server.invoke(question("Hi"));
  await waiting.promise;
  server.host.close();
  await expect(call).rejects.toMatchObject({ name: "ServiceUnavailableException" });
});
