// The tokens of a call, as the Messages API and as the metrics of Bedrock name them.
import type { InputUsage } from "./prompt-cache.ts";

/** `usage` of a message. The three kinds of input do not overlap; output includes thinking. */
export type Usage = InputUsage & { output_tokens: number };

/** Milliseconds from the call's arrival. */
export type Latency = { invocationLatency: number; firstByteLatency: number };

/** The member of `message_stop` that Bedrock adds and bills by: `amazon-bedrock-invocationMetrics`. */
export function invocationMetrics(usage: Usage, latency: Latency) {
  return {
    inputTokenCount: usage.input_tokens,
    outputTokenCount: usage.output_tokens,
    ...latency,
    cacheReadInputTokenCount: usage.cache_read_input_tokens,
    cacheWriteInputTokenCount: usage.cache_creation_input_tokens,
  };
}

/** The headers that Bedrock adds to a whole answer. */
export function usageHeaders(usage: Usage, { invocationLatency }: Latency): Record<string, string> {
  return {
    "x-amzn-bedrock-input-token-count": String(usage.input_tokens),
    "x-amzn-bedrock-output-token-count": String(usage.output_tokens),
    "x-amzn-bedrock-cache-read-input-token-count": String(usage.cache_read_input_tokens),
    "x-amzn-bedrock-cache-write-input-token-count": String(usage.cache_creation_input_tokens),
    "x-amzn-bedrock-invocation-latency": String(invocationLatency),
  };
}

/** Reads the usage of a message. A missing count keeps its earlier value, or is zero. */
export function readUsage(given: Record<string, unknown> | undefined, before?: Usage): Usage {
  const count = (value: unknown, otherwise = 0) => (typeof value === "number" ? value : otherwise);
  const split = given?.cache_creation as Record<string, unknown> | undefined;
  const written = count(given?.cache_creation_input_tokens, before?.cache_creation_input_tokens);
  const oneHour = count(split?.ephemeral_1h_input_tokens, before?.cache_creation.ephemeral_1h_input_tokens);
  return {
    input_tokens: count(given?.input_tokens, before?.input_tokens),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: count(given?.cache_read_input_tokens, before?.cache_read_input_tokens),
    cache_creation: { ephemeral_5m_input_tokens: written - oneHour, ephemeral_1h_input_tokens: oneHour },
    output_tokens: count(given?.output_tokens, before?.output_tokens),
  };
}
