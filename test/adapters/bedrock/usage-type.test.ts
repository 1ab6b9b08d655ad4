import { expect, test } from "@jest/globals";
import { usageTypeOf } from "../../../adapters/bedrock/usage-type.ts";

test.each([
  ["USE1-MP:USE1_input_tokens_standard-Units", ["regional", "input", false]],
  ["EUC1-MP:EUC1_input_tokens_global_standard-Units", ["global", "input", false]],
  ["EUC1-MP:EUC1_output_tokens_global-Units", ["global", "output", false]],
  ["USE1-MP:USE1_cache_read_tokens_standard-Units", ["regional", "cache_read", false]],
  ["USE1-MP:USE1_cache_write_tokens_global_standard-Units", ["global", "cache_write_5m", false]],
  ["USE1-MP:USE1_cache_write_tokens_1h_global_standard-Units", ["global", "cache_write_1h", false]],
  ["USE1-MP:USE1_input_tokens_global_long_ctx_standard-Units", ["global", "input", true]],
  ["USE1-MP:USE1_input_tokens_long_ctx_global-Units", ["global", "input", true]],
  ["USE1-MP:USE1_InputTokenCount-Units", ["regional", "input", false]],
  ["USE1-MP:USE1_CacheWrite1hInputTokenCount_Global-Units", ["global", "cache_write_1h", false]],
  ["USE1-MP:USE1_CacheReadInputTokenCount-Units", ["regional", "cache_read", false]],
])("the usage type %s is %j", (text, expected) => {
  const usage = usageTypeOf(text);
  expect(typeof usage === "object" && [usage.reach, usage.kind, usage.isLong]).toEqual(expected);
});

test.each([
  "USE1-MP:USE1_InputTokenCount_Global_Batch-Units",
  "USE1-MP:USE1_input_tokens_global_batch-Units",
  "USE1-MP:USE1_output_tokens_priority-Units",
  "USW2-MP:USW2_ProvisionedThroughput_1MonthCommit_ModelUnits_Usage-Units",
])("the usage type %s is of a way of paying that is not used", (text) => {
  expect(usageTypeOf(text)).toBe("unused");
});

test.each([
  "",
  "USE1-Claude4Sonnet-input-tokens",
  "USE1-MP:USE1_thinking_tokens_standard-Units",
  "USE1-MP:USE1_input_tokens_regional2_standard-Units",
  "USE1-MP:USE1_cache_write_tokens_1d_global_standard-Units",
])("the usage type %j is not understood", (text) => {
  expect(usageTypeOf(text)).toBeUndefined();
});
