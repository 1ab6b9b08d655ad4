// A message in the JSON of the Messages API: whole, or as the events of a stream.
import type { Answer, AnswerBlock } from "./answer.ts";
import { countText, firstTokens } from "./request/tokens.ts";
import type { Settings } from "./settings.ts";
import { invocationMetrics, type Latency, type Usage } from "./usage.ts";

export type Message = {
  id: string;
  model: string;
  answer: Answer;
  usage: Usage;
  /** The signature of the answer's thinking, with which a client sends it back. */
  signature: string;
  /** The changes that the host made to thinking in the request, if the request asked to be told. */
  inputTransformations?: object[] | undefined;
  /** The verdicts on the answer's tool calls, if the request asked for them. */
  safeguardResults?: object[] | undefined;
};

/** An event of a stream, or `whole` for an answer in one piece: its JSON, and how many output tokens it carries. */
export type MessageEvent = { type: string; json: string; tokens: number };

/**
 * The host finds no tool call dangerous. Form: what Claude Code 2.1.330 reads of it; place: that of the SSE and JSON in
 * public gateways' tests (2026-10).
 */
export function safeguardResults({ blocks }: Answer): object[] {
  const uses = blocks.filter((block) => block.type === "tool_use");
  const verdicts = uses.map(({ id }) => [id, { type: "evaluated", outcome: "not_flagged" }]);
  return [{ type: "dangerous_tool_use", status: { type: "available", tool_uses: Object.fromEntries(verdicts) } }];
}

/** The whole message as JSON. */
export function messageJson(message: Message): string {
  const { id, model, answer, usage, signature, inputTransformations, safeguardResults } = message;
  return JSON.stringify({
    model,
    id,
    type: "message",
    role: "assistant",
    content: answer.blocks.map((block) => wholeBlock(block, signature)),
    stop_reason: answer.stopReason,
    stop_sequence: answer.stopSequence,
    usage,
    ...(inputTransformations && { input_transformations: inputTransformations }),
    ...(safeguardResults && { safeguard_results: safeguardResults }),
  });
}

function wholeBlock(block: AnswerBlock, signature: string): object {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "thinking") return { type: "thinking", thinking: block.hidden ? "" : block.text, signature };
  return { type: "tool_use", id: block.id, name: block.name, input: inputOf(block.text) };
}

/** An input that `max_tokens` cuts is not valid JSON; an empty object stands for it. */
function inputOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** The message as events, each created when it is read. */
export function* messageEvents(
  { id, model, answer, usage, signature, inputTransformations, safeguardResults }: Message,
  { tokensPerEvent }: Pick<Settings, "tokensPerEvent">,
  latency: Latency,
): Generator<MessageEvent, void> {
  const start = {
    ...{ model, id, type: "message", role: "assistant", content: [], stop_reason: null, stop_sequence: null },
    ...(inputTransformations && { input_transformations: inputTransformations }),
  };
  yield event({ type: "message_start", message: { ...start, usage: { ...usage, output_tokens: 1 } } });
  for (const [index, block] of answer.blocks.entries()) {
    yield event({ type: "content_block_start", index, content_block: emptyBlock(block) });
    const hidden = block.type === "thinking" && block.hidden;
    for (let rest = hidden ? "" : block.text; rest.length > 0; ) {
      const piece = firstTokens(rest, tokensPerEvent);
      yield event({ type: "content_block_delta", index, delta: delta(block, piece) }, countText(piece));
      rest = rest.slice(piece.length);
    }
    if (block.type === "thinking") {
      const tokens = hidden ? countText(block.text) : 0;
      yield event({ type: "content_block_delta", index, delta: { type: "signature_delta", signature } }, tokens);
    }
    yield event({ type: "content_block_stop", index });
  }
  yield event({
    type: "message_delta",
    delta: {
      stop_reason: answer.stopReason,
      stop_sequence: answer.stopSequence,
      ...(safeguardResults && { safeguard_results: safeguardResults }),
    },
    usage: { output_tokens: usage.output_tokens },
  });
  yield event({ type: "message_stop", "amazon-bedrock-invocationMetrics": invocationMetrics(usage, latency) });
}

function event(content: { type: string; [member: string]: unknown }, tokens = 0): MessageEvent {
  return { type: content.type, json: JSON.stringify(content), tokens };
}

function emptyBlock(block: AnswerBlock): object {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { type: "tool_use", id: block.id, name: block.name, input: {} };
}

function delta(block: AnswerBlock, piece: string): object {
  if (block.type === "text") return { type: "text_delta", text: piece };
  if (block.type === "thinking") return { type: "thinking_delta", thinking: piece };
  return { type: "input_json_delta", partial_json: piece };
}
