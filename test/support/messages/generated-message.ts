// Messages of the model with blocks of every kind, and the events in which a stream sends them. The events are cut at random places.
import fc from "fast-check";

type Block = Record<string, unknown> & { type: string };
type Usage = Record<string, unknown>;

/** A message as InvokeModel gives it, and the JSON of the events of a stream that says the same. */
export type GeneratedMessage = { json: string; events: string[] };

const text = fc.string({ unit: "grapheme", maxLength: 40 });
const count = fc.nat({ max: 1_000_000 });
/** JSON whose numbers JavaScript would write otherwise, beside all other JSON. */
const inputJson = fc.oneof(
  fc.json({ maxDepth: 3 }).map((json) => `{"value":${json}}`),
  fc.constantFrom(
    '{"id":12345678901234567890,"price":1.0}',
    '{"a":[1e3,-0,0.10],"__proto__":{"x":1}}',
    "{}",
    '{"b":{"c":null,"d":"ü\\u2028\\""}}',
  ),
);

const citation = fc.record({ type: fc.constant("char_location"), cited_text: text, start_char_index: count });
const plain = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("text"), text, citations: fc.array(citation, { minLength: 1, maxLength: 3 }) }),
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: fc.base64String() }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.base64String() }),
  fc.record({ type: fc.constant("compaction"), content: fc.option(text), encrypted_content: fc.option(text) }),
  fc.record({
    type: fc.constantFrom("web_search_tool_result", "code_execution_tool_result", "mcp_tool_result"),
    tool_use_id: text,
    content: fc.jsonValue({ maxDepth: 2 }),
  }),
  fc.record({ type: fc.constant("container_upload"), file_id: text }),
);
/** A block of a kind, and a delta of a kind, that nobody knows yet. */
const unknown = fc.record({ type: fc.constant("dream"), dream: text, scenes: fc.array(text, { maxLength: 3 }) });
const toolUse = fc.record({
  type: fc.constantFrom("tool_use", "server_tool_use", "mcp_tool_use"),
  id: text,
  name: text,
  input: inputJson,
});

type Options = {
  /** Also kinds of blocks and deltas that no SDK knows. */
  withUnknown: boolean;
};

/** @returns messages that end whole: no input of a tool is cut */
export function generatedMessages({ withUnknown }: Options): fc.Arbitrary<GeneratedMessage> {
  const block = fc.oneof(plain, toolUse, ...(withUnknown ? [unknown] : []));
  return fc
    .record({
      blocks: fc.array(block as fc.Arbitrary<Block>, { maxLength: 5 }),
      stop_reason: fc.constantFrom("end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal", "pause_turn"),
      stop_sequence: fc.option(text),
      late: fc.record(
        {
          container: fc.record({ id: text, expires_at: text }),
          stop_details: fc.record({ type: fc.constant("refusal"), category: fc.option(text) }),
          context_management: fc.record({ applied_edits: fc.array(fc.record({ cleared: count })) }),
        },
        { requiredKeys: [] },
      ),
      usage: fc.record({
        input_tokens: count,
        cache_read_input_tokens: count,
        cache_creation_input_tokens: count,
        cache_creation: fc.record({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }),
        service_tier: fc.constant("standard"),
      }),
      lateUsage: fc.record(
        {
          output_tokens: count,
          input_tokens: count,
          server_tool_use: fc.record({ web_search_requests: count, web_fetch_requests: count }),
          output_tokens_details: fc.record({ thinking_tokens: count }),
        },
        { requiredKeys: ["output_tokens"] },
      ),
      cuts: fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
    })
    .map(({ blocks, stop_reason, stop_sequence, late, usage, lateUsage, cuts }) => {
      const start = { model: "claude-opus-5", id: "msg_bdrk_1", type: "message", role: "assistant" };
      const end = { stop_reason, stop_sequence, stop_details: late.stop_details ?? null };
      const others = {
        ...(late.container && { container: late.container }),
        ...(late.context_management && { context_management: late.context_management }),
      };
      const whole = { ...start, content: "CONTENT", ...end, usage: { ...usage, ...lateUsage }, ...others };
      const content = `[${blocks.map(jsonOf).join()}]`;
      return {
        json: JSON.stringify(whole).replace('"CONTENT"', () => content),
        events: [...eventsOf(start, blocks, usage, cuts), ...endOf(end, late, lateUsage)],
      };
    });
}

/** The input of a tool is JSON already. */
function jsonOf({ input, ...block }: Block): string {
  const json = JSON.stringify(block);
  return input === undefined ? json : `${json.slice(0, -1)},"input":${String(input)}}`;
}

function* eventsOf(start: object, blocks: Block[], usage: Usage, cuts: Iterator<number>): Generator<string> {
  const event = (type: string, fields: object) => JSON.stringify({ type, ...fields });
  const nothing = { content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  yield event("message_start", { message: { ...start, ...nothing } });
  yield event("ping", {});
  for (const [index, block] of blocks.entries()) {
    yield event("content_block_start", { index, content_block: begunOf(block) });
    for (const delta of deltasOf(block, cuts)) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index });
  }
}

function* endOf(end: object, late: Record<string, unknown>, usage: Usage): Generator<string> {
  const { container, context_management } = late;
  yield JSON.stringify({
    type: "message_delta",
    delta: { ...end, ...(container !== undefined && { container }) },
    usage,
    ...(context_management !== undefined && { context_management }),
  });
  yield JSON.stringify({ type: "message_stop", "amazon-bedrock-invocationMetrics": { outputTokenCount: 1 } });
}

/** The block as its first event has it. */
function begunOf(block: Block): object {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "compaction":
      return { type: "compaction", content: null, encrypted_content: null };
    case "dream":
      return { type: "dream", dream: "", scenes: [] };
    default:
      return block.input === undefined ? block : { ...block, input: {} };
  }
}

function* deltasOf(block: Block, cuts: Iterator<number>): Generator<object> {
  const texts = (name: string) => pieces(String(block[name]), cuts);
  switch (block.type) {
    case "text":
      for (const citation of (block.citations as unknown[] | undefined) ?? []) {
        yield { type: "citations_delta", citation };
      }
      for (const piece of texts("text")) yield { type: "text_delta", text: piece };
      return;
    case "thinking":
      for (const thinking of texts("thinking")) yield { type: "thinking_delta", thinking, estimated_tokens: 50 };
      yield { type: "signature_delta", signature: block.signature };
      return;
    case "compaction":
      yield { type: "compaction_delta", content: block.content, encrypted_content: block.encrypted_content };
      return;
    case "dream":
      for (const dream of texts("dream")) yield { type: "dream_delta", dream };
      for (const scene of block.scenes as string[]) yield { type: "dream_delta", scenes: [scene] };
      return;
    default:
      if (block.input === undefined) return;
      yield { type: "input_json_delta", partial_json: "" };
      for (const partial_json of texts("input")) yield { type: "input_json_delta", partial_json };
  }
}

function* pieces(text: string, cuts: Iterator<number>): Generator<string> {
  const letters = [...text];
  while (letters.length > 0) yield letters.splice(0, cuts.next().value).join("");
}
