// The one message that every variant answers with, prepared once: as a stream of 50 deltas and as a whole.

const deltaCount = 50;
const id = "msg_bdrk_0100000000000000000000001";
const model = "claude-sonnet-5";
const usage = {
  input_tokens: 25,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 200,
};
const invocationMetrics = {
  inputTokenCount: usage.input_tokens,
  outputTokenCount: usage.output_tokens,
  invocationLatency: 0,
  firstByteLatency: 0,
  cacheReadInputTokenCount: 0,
  cacheWriteInputTokenCount: 0,
};
const start = { model, id, type: "message", role: "assistant" };

/** About four tokens. */
const piece = (index: number) => `piece ${String(index).padStart(2, "0")} of the text `;
const pieces = Array.from({ length: deltaCount }, (_, index) => piece(index));

/** The JSON of one delta event with this text. */
export function deltaEvent(text: string): string {
  return JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
}

const before = [
  { type: "message_start", message: { ...start, content: [], stop_reason: null, stop_sequence: null, usage } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
].map((event) => JSON.stringify(event));

const after = [
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  },
  { type: "message_stop", "amazon-bedrock-invocationMetrics": invocationMetrics },
].map((event) => JSON.stringify(event));

/** The JSON of each event of the stream. */
export const events = [...before, ...pieces.map(deltaEvent), ...after];

/** A delta of the paced stream carries the time at which it left, in microseconds of the machine's monotonic clock. */
export const stampPattern = /@\d{16}/g;
const stampDigits = 16;

/** Microseconds of a clock that all processes of the machine share. */
export function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

export function stamp(micros: number): string {
  return `@${String(micros).padStart(stampDigits, "0")}`;
}

/** What differs between paced answers. */
export const volatileStamps = { pattern: stampPattern.source, as: stamp(0) };

/** The paced stream: each event is made when it is due. */
export const pacedEvents: (() => string)[] = [
  ...before.map((event) => () => event),
  ...pieces.map((text) => () => deltaEvent(`${text}${stamp(monotonicMicros())} `)),
  ...after.map((event) => () => event),
];

/** One event as the Messages API sends it, and as the proxy does. */
export function serverSentEvent(json: string): string {
  return `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`;
}

/** The body of a streamed answer. */
export const streamedBody = events.map(serverSentEvent).join("");
/** The body of a paced answer, all stamps zero. */
export const pacedBody = pacedEvents
  .map((event) => serverSentEvent(event()))
  .join("")
  .replace(stampPattern, stamp(0));
/** The body of a whole answer. */
export const wholeBody = JSON.stringify({
  ...start,
  content: [{ type: "text", text: pieces.join("") }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
});

/** Ends each prompt, so that the model host can tell that the whole of it arrived. */
export const promptEnd = "the end of the prompt";

/** A request's body for the Messages API. @param promptBytes the prompt's length */
export function requestBody(stream: boolean, promptBytes: number): string {
  const content = promptEnd.padStart(promptBytes, "What is an arch? ");
  return JSON.stringify({ model, max_tokens: 1024, ...(stream && { stream }), messages: [{ role: "user", content }] });
}
