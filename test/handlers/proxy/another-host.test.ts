// A model host that is not Bedrock is another adapter and nothing else: the proxy answers and bills through one that speaks the
// Messages API as its vendor does.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { MessagesServer, messagesHost } from "../../support/messages/messages-host.ts";
import { openProxy, plainCost, question, type TestProxy } from "../../support/proxy.ts";

const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
const events = [
  { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [], usage } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "An arch é is a curve." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } },
  { type: "message_stop" },
].map((event) => JSON.stringify(event));
const message = JSON.stringify({ id: "msg_1", type: "message", content: [], usage: { ...usage, output_tokens: 20 } });

let server: MessagesServer;
let proxy: TestProxy;
beforeEach(async () => {
  server = await MessagesServer.start(events, message);
  proxy = openProxy({ modelHost: messagesHost(server.url) });
});
afterEach(() => server[Symbol.asyncDispose]());

const billed = {
  usage: { input: 100, output: 20, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
  cost: plainCost,
  source: "final",
};

test("a streamed message of another host is passed on event by event, and costs what its usage says", async () => {
  const { status, text, requestId } = await proxy.ask({ body: { ...question, stream: true } });
  expect(status).toBe(200);
  expect(text).toBe(events.map((event) => `event: ${JSON.parse(event).type}\ndata: ${event}\n\n`).join(""));
  expect(proxy.rowOf(requestId)).toMatchObject(billed);
  expect(proxy.spendingOf()).toMatchObject({ spent: plainCost, committed: plainCost, inflight: 0 });
});

test("a whole message of another host is passed on unchanged, and costs what its usage says", async () => {
  const { status, text, requestId } = await proxy.ask();
  expect([status, text]).toEqual([200, message]);
  expect(proxy.rowOf(requestId)).toMatchObject(billed);
});

test("tokens are counted by another host", async () => {
  const { model, messages } = { ...question, model: "claude-sonnet-4-6" };
  const { json } = await proxy.ask({ path: "/vendor/v1/messages/count_tokens", body: { model, messages } });
  expect(json).toEqual({ input_tokens: 7 });
});

describe("the request", () => {
  test("the request to another host has model and `stream` in its body, and version and flags in its headers, as the Messages API requires", async () => {
    const headers = { "anthropic-version": "2026-10-21", "anthropic-beta": "effort-2025-11-24,oauth-2025-04-20" };
    await proxy.ask({ headers, body: { ...question, stream: true, anthropic_version: "bedrock-2023-05-31" } });
    const { path, headers: sent, body } = server.received[0] ?? {};
    expect([path, sent?.["anthropic-version"], sent?.["anthropic-beta"]]).toEqual([
      ...["/v1/messages", "2026-10-21", "effort-2025-11-24"],
    ]);
    expect(body).toEqual({ ...question, model: "eu.anthropic.claude-sonnet-5", stream: true });
  });

  test("the request to another host is repeated without a field or a flag that this host refuses in its own wording", async () => {
    server.refusalOf = ({ headers, body }) => {
      if (headers["anthropic-beta"]?.includes("new-2027-01-01")) return "Unexpected value in `anthropic-beta`";
      return "of_tomorrow" in body ? "of_tomorrow: Extra inputs are not permitted" : undefined;
    };
    const { status, headers, requestId } = await proxy.ask({
      headers: { "anthropic-beta": "new-2027-01-01" },
      body: { ...question, of_tomorrow: 1 },
    });
    expect([status, headers["x-archway-dropped"]]).toEqual([200, "new-2027-01-01, of_tomorrow"]);
    expect(server.received).toHaveLength(3);
    expect(proxy.rowOf(requestId)).toMatchObject(billed);
  });
});
