// A whole message out of a stream: the same JSON as InvokeModel's, judged by the local model host's two operations and by the vendor's SDK.
import { setImmediate as pause } from "node:timers/promises";
import { BetaMessageStream } from "@anthropic-ai/sdk/lib/BetaMessageStream";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { bedrock } from "../../../adapters/bedrock/model-host.ts";
import { wholeMessage } from "../../../adapters/bedrock/whole-message.ts";
import { parseExactly } from "../../../domain/messages/exact-json.ts";
import { type HostEvent, ModelHostError, type WholeCall } from "../../../domain/messages/model-host.ts";
import type { Engine } from "../../../emulators/bedrock/engine.ts";
import { ModelHostServer, question, sonnet } from "../../../emulators/test/support/model-host-server.ts";
import { type GeneratedMessage, generatedMessages } from "../../support/messages/generated-message.ts";
import { eventOf } from "../../support/messages/played-host.ts";

const never = new AbortController().signal;

/** Events that arrive three at a time. */
async function* arrivalsOf(events: readonly string[]): AsyncGenerator<HostEvent[]> {
  for (let at = 0; at < events.length; at += 3) {
    await pause();
    yield events.slice(at, at + 3).map(eventOf);
  }
}

async function wholeOf(events: readonly object[]): Promise<string> {
  return wholeMessage(arrivalsOf(events.map((event) => JSON.stringify(event))), () => {});
}

async function failureOf(events: readonly object[]): Promise<ModelHostError> {
  const error: unknown = await wholeOf(events).catch((reason) => reason);
  if (error instanceof ModelHostError) return error;
  throw error;
}

const start = {
  type: "message_start",
  message: { type: "message", id: "m", content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } },
};
const block = (content_block: object, index = 0) => ({ type: "content_block_start", index, content_block });
const delta = (of: object, index = 0) => ({ type: "content_block_delta", index, delta: of });
const ends = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];
const toolUse = block({ type: "tool_use", id: "t", name: "f", input: {} });
const inputOf = (...texts: string[]) => texts.map((partial_json) => delta({ type: "input_json_delta", partial_json }));

describe("at the local model host", () => {
  let played: GeneratedMessage;
  const engine: Engine = {
    message: async () => ({ json: played.json, tokens: 0, latency: { invocationLatency: 0, firstByteLatency: 0 } }),
    events: async () => played.events.map((json) => ({ type: "event", json, tokens: 0 })).values(),
    countTokens: async () => 0,
    clear() {},
    close() {},
  };
  let server: ModelHostServer;
  let builtIn: ModelHostServer;
  beforeAll(async () => {
    server = await ModelHostServer.start({ upstream: engine });
    builtIn = await ModelHostServer.start();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await builtIn[Symbol.asyncDispose]();
  });

  async function answers({ url }: ModelHostServer, { anthropic_version: _, ...fields }: ReturnType<typeof question>) {
    const credentials = async () => ({ accessKeyId: "AKIDEXAMPLE", secretAccessKey: "s", sessionToken: "s" });
    const host = bedrock({ credentials, endpoint: url });
    const call = {
      identity: { tenantId: "t", callerId: "c" },
      region: "eu-central-1",
      modelId: sonnet,
      betas: [],
      headers: {},
    };
    const invoke = (maxTokens: number) => {
      const whole: WholeCall = { ...call, maxTokens, body: JSON.stringify({ ...fields, max_tokens: maxTokens }) };
      return host.invoke(whole, never, () => {});
    };
    return { atOnce: await invoke(8_192), assembled: await invoke(8_193) };
  }

  test("both operations of the model host give the same JSON for blocks of every kind", async () => {
    await fc.assert(
      fc.asyncProperty(generatedMessages({ withUnknown: true }), async (message) => {
        played = message;
        const { atOnce, assembled } = await answers(server, question("hi"));
        expect(atOnce).toBe(message.json);
        expect(JSON.parse(assembled)).toEqual(JSON.parse(atOnce));
        // Numbers are the same also where JavaScript would write them otherwise.
        expect(JSON.stringify(parseExactly(assembled)).length).toBe(JSON.stringify(parseExactly(atOnce)).length);
      }),
      { numRuns: 150 },
    );
    const operations = new Set(server.host.requests().map(({ operation }) => operation));
    expect(operations).toEqual(new Set(["InvokeModel", "InvokeModelWithResponseStream"]));
  });

  test.each<[string, object]>([
    ["text", {}],
    ["thinking", { thinking: { type: "enabled", budget_tokens: 2_000 } }],
    ["hidden thinking", { thinking: { type: "enabled", budget_tokens: 2_000, display: "omitted" } }],
    [
      "a tool call",
      { tools: [{ name: "weather", input_schema: { type: "object", properties: { city: { type: "string" } } } }] },
    ],
  ])("its own answers are the same but for their ids: %s", async (_, more) => {
    const { atOnce, assembled } = await answers(builtIn, question('Use weather for "Rome".', more));
    const withoutIds = (json: string) => json.replaceAll(/(msg|toolu)_bdrk_\d+/g, "$1");
    expect(withoutIds(assembled)).toBe(withoutIds(atOnce));
  });
});

test("the vendor's SDK accumulates the same message out of the same events", async () => {
  await fc.assert(
    fc.asyncProperty(generatedMessages({ withUnknown: false }), async ({ events }) => {
      const lines = new Blob(events.filter((event) => !event.includes('"ping"')).map((event) => `${event}\n`)).stream();
      const accumulated = await BetaMessageStream.fromReadableStream(lines).finalMessage();
      const assembled = await wholeMessage(arrivalsOf(events), () => {});
      // The SDK accumulates no input of an MCP tool, adds what it has parsed itself, and has JavaScript's numbers.
      const known = (content: { type: string }[]) => content.filter(({ type }) => type !== "mcp_tool_use");
      const { parsed_output: _, ...sdk } = JSON.parse(JSON.stringify(accumulated));
      const own = JSON.parse(JSON.stringify(JSON.parse(assembled)));
      expect({ ...own, content: known(own.content) }).toEqual({ ...sdk, content: known(sdk.content) });
    }),
    { numRuns: 100 },
  );
});

describe("the input of a tool", () => {
  test("a tool's input in a whole message keeps its numbers as the model wrote them", async () => {
    const text = '{"id": 12345678901234567890, "price": 1.0, "small": 1e-7}';
    const json = await wholeOf([start, toolUse, ...inputOf(text.slice(0, 20), text.slice(20)), ...ends("tool_use")]);
    expect(json).toContain(`"input":${text}`);
  });

  test("a tool's input that max_tokens has cut is an empty object in a whole message, as InvokeModel answers", async () => {
    const json = await wholeOf([start, toolUse, ...inputOf('{"city": "Ro'), ...ends("max_tokens")]);
    expect(JSON.parse(json)).toMatchObject({ content: [{ type: "tool_use", input: {} }], stop_reason: "max_tokens" });
  });

  test("a tool's input that is complete but not JSON makes the call fail, so that no tool runs without its input", async () => {
    const failure = await failureOf([start, toolUse, ...inputOf('{"city": "Ro'), ...ends("tool_use")]);
    expect(failure).toMatchObject({ failure: "broken", message: expect.stringContaining("input of a tool call") });
  });
});

describe("the usage", () => {
  test("the usage of a whole message merges the counts of its beginning and end, nested ones included", async () => {
    const begun = {
      ...start.message,
      usage: { input_tokens: 9, cache_creation: { five: 1, hour: 2 }, service_tier: "x" },
    };
    const last = {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: {
        output_tokens: 7,
        input_tokens: null,
        cache_creation: { hour: 3 },
        iterations: [{ type: "compaction" }],
      },
    };
    const json = await wholeOf([{ type: "message_start", message: begun }, last, { type: "message_stop" }]);
    expect(JSON.parse(json).usage).toEqual({
      input_tokens: 9,
      output_tokens: 7,
      cache_creation: { five: 1, hour: 3 },
      service_tier: "x",
      iterations: [{ type: "compaction" }],
    });
  });
});

test("a message that another model answered after a refusal names that model", async () => {
  const fallback = { type: "fallback", from: { model: "a" }, to: { model: "b" }, trigger: { type: "refusal" } };
  const json = await wholeOf([start, block(fallback), ...ends("end_turn")]);
  expect(JSON.parse(json)).toMatchObject({ model: "b", content: [fallback] });
});

test("an unknown event adds its new fields to the whole message, and changes no other field", async () => {
  const json = await wholeOf([start, { type: "verdict", verdict: { ok: 1.5 }, id: "x" }, ...ends("end_turn")]);
  expect(JSON.parse(json)).toMatchObject({ id: "m", type: "message", verdict: { ok: 1.5 } });
});

describe("a stream that fails", () => {
  test.each([
    ["overloaded_error", "unavailable"],
    ["rate_limit_error", "throttled"],
    ["api_error", "broken"],
    ["timeout_error", "timeout"],
    ["invalid_request_error", "rejected"],
    ["permission_error", "denied"],
  ])("the error event %s stops a stream, and is reported as in a whole answer: %s", async (type, failure) => {
    const error = { type: "error", error: { type, message: "words" } };
    expect(await failureOf([start, error])).toMatchObject({ failure, outcomeUnknown: false });
  });

  test.each<[string, object[]]>([
    ["no event", []],
    ["no end", [start, block({ type: "text", text: "" })]],
    ["two beginnings", [start, start, ...ends("end_turn")]],
    ["another beginning", [block({ type: "text", text: "" }), ...ends("end_turn")]],
    ["a delta without its block", [start, delta({ type: "text_delta", text: "a" }), ...ends("end_turn")]],
  ])("with %s is broken, and its end unknown", async (_, events) => {
    expect(await failureOf(events)).toMatchObject({ failure: "broken", outcomeUnknown: true });
  });

  test("a stream that fails is read to its end for the usage, and the first failure is reported", async () => {
    const observed: unknown[] = [];
    const texts = [
      JSON.stringify(start),
      "this is not JSON",
      ...ends("end_turn").map((event) => JSON.stringify(event)),
    ];
    const failure = wholeMessage(arrivalsOf(texts), (event) => observed.push(event));
    await expect(failure).rejects.toMatchObject({ failure: "broken", message: expect.stringContaining("not JSON") });
    expect(observed).toEqual([start, ...ends("end_turn")]);
  });

  test("an error after the end of the message does not change the message", async () => {
    async function* stream() {
      yield* arrivalsOf([start, ...ends("end_turn")].map((event) => JSON.stringify(event)));
      throw new Error("reset");
    }
    expect(JSON.parse(await wholeMessage(stream(), () => {}))).toMatchObject({ id: "m", stop_reason: "end_turn" });
  });
});
