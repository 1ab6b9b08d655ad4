// Usage types of AWS's price list for models of the marketplace. Two spellings live side by side (read in 2026-09 from
// AmazonBedrockFoundationModels): `USE1-MP:USE1_cache_write_tokens_1h_global_standard-Units` since 4.7, and
// `USE1-MP:USE1_CacheWrite1hInputTokenCount_Global-Units` before.
import type { ListedPrice } from "../../domain/catalog/host-listing.ts";

export type UsageType = Pick<ListedPrice, "reach" | "kind" | "isLong">;

const kinds: Record<string, ListedPrice["kind"]> = {
  input_tokens: "input",
  output_tokens: "output",
  cache_read_tokens: "cache_read",
  cache_write_tokens: "cache_write_5m",
  cache_write_tokens_5m: "cache_write_5m",
  cache_write_tokens_1h: "cache_write_1h",
  InputTokenCount: "input",
  OutputTokenCount: "output",
  CacheReadInputTokenCount: "cache_read",
  CacheWriteInputTokenCount: "cache_write_5m",
  CacheWrite1hInputTokenCount: "cache_write_1h",
};

/** Ways of paying that the platform does not use. */
const unused = /(^|_)(batch|flex|priority|reserved|provisionedthroughput)(_|$)/i;

/** `unused` for a way of paying that the platform does not use; undefined for what is not understood. */
export function usageTypeOf(text: string): UsageType | "unused" | undefined {
  const [, words = ""] = /^[A-Z0-9]+-MP:[A-Z0-9]+_(.+)-Units$/.exec(text) ?? [];
  if (unused.test(words)) return "unused";
  const rest = words.replace(/_standard$/i, "");
  const isLong = /_(long_ctx|long_context|LongContext)(?=_|$)/i.test(rest);
  const short = rest.replace(/_(long_ctx|long_context|LongContext)(?=_|$)/i, "");
  const isGlobal = /_global$/i.test(short);
  const kind = kinds[short.replace(/_global$/i, "")];
  return kind === undefined ? undefined : { reach: isGlobal ? "global" : "regional", kind, isLong };
}
