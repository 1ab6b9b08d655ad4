import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { ModelHostServer, question, sonnet } from "../support/model-host-server.ts";

let server: ModelHostServer;
beforeAll(async () => {
  server = await ModelHostServer.start();
});
afterEach(() => server.host.clear());
afterAll(() => server[Symbol.asyncDispose]());

const { anthropic_version: _, ...fields } = question("What is an arch?");
const body = { model: sonnet, ...fields };

async function ask(body: object, headers: Record<string, string> = { "anthropic-version": "2023-06-01" }) {
  const response = await fetch(`${server.url}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

test("the Messages endpoint answers in server-sent events, without the metrics of InvokeModel", async () => {
  const { status, type, text } = await ask({ ...body, stream: true });
  expect([status, type]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const events = text.trimEnd().split("\n\n");
  expect(events[0]).toMatch(/^event: message_start\ndata: \{"type":"message_start"/);
  expect(events.at(-1)).toBe('event: message_stop\ndata: {"type":"message_stop"}');
  expect(server.host.requests()[0]).toMatchObject({ modelId: sonnet, outcome: "complete", chunks: expect.any(Array) });
});

test("the Messages endpoint answers in one piece", async () => {
  const { status, text } = await ask(body);
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    { type: "message", usage: { output_tokens: expect.any(Number) } },
  ]);
});

test.each<[string, object, string]>([
  [
    "metadata as Claude Code sends it",
    { metadata: { user_id: '{"device":"d"}' } },
    "Request metadata contains a value",
  ],
  [
    "a format",
    { output_config: { format: { type: "json_schema", schema: {} } } },
    "output_config.format: Extra inputs",
  ],
  ["strict tools", { tools: [{ name: "a", input_schema: {}, strict: true }] }, "tools.0.custom.strict: Extra inputs"],
])("the Messages endpoint refuses %s in the form of the Messages API", async (_, changes, words) => {
  const { status, text } = await ask({ ...body, ...changes });
  const { type, error } = JSON.parse(text);
  expect([status, type, error.type]).toEqual([400, "error", "invalid_request_error"]);
  expect(error.message).toContain(words);
});

test("the Messages endpoint wants the version as a header, and reads the flags there", async () => {
  expect((await ask(body, {})).status).toBe(400);
  const flags = { "anthropic-version": "2023-06-01", "anthropic-beta": "no-such-flag-2099-01-01" };
  expect(JSON.parse((await ask(body, flags)).text).error.message).toMatch(/invalid beta flag/i);
});

test("a failure inside a stream of the Messages endpoint is an error event", async () => {
  server.host.fail({ error: "throttlingException", after: 2 });
  const { status, text } = await ask({ ...body, stream: true });
  expect(status).toBe(200);
  expect(text).toMatch(/event: error\ndata: \{"type":"error","error":\{"type":"rate_limit_error"/);
});
