import { describe, expect, test } from "@jest/globals";
import type { Answer } from "../../bedrock/answer.ts";
import { type Message, messageEvents, messageJson, safeguardResults } from "../../bedrock/message.ts";
import { readUsage } from "../../bedrock/usage.ts";

const latency = { invocationLatency: 12, firstByteLatency: 5 };
const pace = { tokensPerEvent: 2 };

function message(blocks: Answer["blocks"], more: Partial<Answer> = {}): Message {
  const answer: Answer = { blocks, stopReason: "end_turn", stopSequence: null, outputTokens: 9, ...more };
  const usage = readUsage({
    input_tokens: 3,
    cache_read_input_tokens: 2,
    cache_creation_input_tokens: 4,
    output_tokens: 9,
  });
  return { id: "msg_1", model: "claude-sonnet-5", answer, usage, signature: "signed" };
}
const events = (given: Message, settings = pace) => [...messageEvents(given, settings, latency)];
const parsed = (given: Message, settings = pace) => events(given, settings).map(({ json }) => JSON.parse(json));

test("the deltas of a streamed text add up to the text", () => {
  const told = parsed(message([{ type: "text", text: "Hello, dear world" }]));
  expect(told.map(({ type }) => type)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(told.flatMap(({ delta }) => delta?.text ?? [])).toEqual(["Hello, d", "ear worl", "d"]);
});

test("the safeguards' verdicts on tool calls are in `safeguard_results`, whole and streamed", () => {
  const { answer } = message([{ type: "tool_use", id: "toolu_1", name: "a", text: "{}" }]);
  const results = safeguardResults(answer);
  expect(results).toEqual([
    {
      type: "dangerous_tool_use",
      status: { type: "available", tool_uses: { toolu_1: { type: "evaluated", outcome: "not_flagged" } } },
    },
  ]);
  const told = { ...message(answer.blocks), safeguardResults: results };
  expect(JSON.parse(messageJson(told)).safeguard_results).toEqual(results);
  expect(parsed(told).find(({ type }) => type === "message_delta").delta.safeguard_results).toEqual(results);
});

test("the first and the last event of a message contain the usage", () => {
  const [start, ...rest] = parsed(
    message([{ type: "text", text: "Hi" }], { stopReason: "stop_sequence", stopSequence: "!" }),
  );
  expect(start.message).toMatchObject({
    id: "msg_1",
    role: "assistant",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 3, cache_read_input_tokens: 2, cache_creation_input_tokens: 4, output_tokens: 1 },
  });
  expect(rest.at(-2)).toEqual({
    type: "message_delta",
    delta: { stop_reason: "stop_sequence", stop_sequence: "!" },
    usage: { output_tokens: 9 },
  });
  expect(rest.at(-1)).toEqual({
    type: "message_stop",
    "amazon-bedrock-invocationMetrics": {
      inputTokenCount: 3,
      outputTokenCount: 9,
      invocationLatency: 12,
      firstByteLatency: 5,
      cacheReadInputTokenCount: 2,
      cacheWriteInputTokenCount: 4,
    },
  });
});

describe("other blocks", () => {
  const blocks: Answer["blocks"] = [
    { type: "thinking", text: "Hmm." },
    { type: "tool_use", id: "toolu_1", name: "get_weather", text: '{"city":"Paris"}' },
  ];

  test("thinking is streamed with its signature, and a tool's input as partial JSON", () => {
    const told = parsed(message(blocks));
    const deltas = told.filter(({ type }) => type === "content_block_delta").map(({ delta }) => delta);
    expect(deltas[0]).toEqual({ type: "thinking_delta", thinking: "Hmm." });
    expect(deltas[1]).toMatchObject({ type: "signature_delta", signature: expect.stringMatching(/.+/) });
    expect(
      deltas
        .slice(2)
        .map(({ partial_json }) => partial_json)
        .join(""),
    ).toBe('{"city":"Paris"}');
    expect(told.filter(({ type }) => type === "content_block_start").map(({ content_block }) => content_block)).toEqual(
      [
        { type: "thinking", thinking: "", signature: "" },
        { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
      ],
    );
  });

  test("a whole message contains thinking and tool use as complete blocks", () => {
    expect(JSON.parse(messageJson(message(blocks, { stopReason: "tool_use" })))).toMatchObject({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      content: [
        { type: "thinking", thinking: "Hmm.", signature: expect.any(String) },
        { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 3, output_tokens: 9 },
    });
  });
});

test("events of a stream say how many tokens their text has", () => {
  const tokens = events(message([{ type: "text", text: "Hello, dear world" }])).map((event) => event.tokens);
  expect(tokens).toEqual([0, 0, 2, 2, 1, 0, 0, 0]);
});

test("hidden thinking is streamed only as its signature, which has the tokens of the thinking", () => {
  const hidden = message([{ type: "thinking", text: "Hmm, let me see.", hidden: true }]);
  const deltas = events(hidden).filter(({ type }) => type === "content_block_delta");
  expect(deltas.map(({ json, tokens }) => [JSON.parse(json).delta.type, tokens])).toEqual([["signature_delta", 4]]);
  expect(JSON.parse(messageJson(hidden)).content).toMatchObject([{ type: "thinking", thinking: "" }]);
});
