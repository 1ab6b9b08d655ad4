import { expect, test } from "@jest/globals";
import { readUsage, usageHeaders } from "../../bedrock/usage.ts";

test("missing counts in a message's usage are zero", () => {
  expect(readUsage({ input_tokens: 5, cache_read_input_tokens: null })).toEqual({
    input_tokens: 5,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 0,
  });
});

test("later counts of usage overwrite only the counts that they contain", () => {
  const cache_creation = { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 };
  const start = readUsage({ input_tokens: 5, cache_creation_input_tokens: 7, cache_creation, output_tokens: 1 });
  expect(readUsage({ output_tokens: 20 }, start)).toEqual({ ...start, output_tokens: 20 });
  expect(start.cache_creation).toEqual(cache_creation);
});

test("cache writes without a lifetime count as five-minute writes", () => {
  const { cache_creation } = readUsage({ cache_creation_input_tokens: 7 });
  expect(cache_creation).toEqual({ ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 });
});

test("a whole answer of Bedrock gives its usage in headers", () => {
  const usage = readUsage({ input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 7 });
  expect(usageHeaders(usage, { invocationLatency: 8, firstByteLatency: 1 })).toEqual({
    "x-amzn-bedrock-input-token-count": "5",
    "x-amzn-bedrock-output-token-count": "6",
    "x-amzn-bedrock-cache-read-input-token-count": "7",
    "x-amzn-bedrock-cache-write-input-token-count": "0",
    "x-amzn-bedrock-invocation-latency": "8",
  });
});
