// Token usage: the counts of tokens by which a call is priced and credited, and the bounds of a call that is not over.

/** Whole, non-negative counts. `input` excludes what was read from or written to the cache. */
export type TokenUsage = {
  input: number;
  output: number;
  cache_read: number;
  cache_write_5m: number;
  cache_write_1h: number;
};

export const noUsage: TokenUsage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

export type TokenKind = keyof TokenUsage;

/**
 * `final`: the model host said it to a client that stayed. `drained`: the same, after the client had left.
 * `estimated`: the stream broke off, or the host never said it.
 */
export type UsageSource = "final" | "drained" | "estimated";

/** A larger count is a mistake and ignored: a thousand times the largest context window. Keeps every cost exact. */
export const maxTokenCount = 1_000_000_000;

/** A count as it came over the wire; undefined for what is no count. */
export function tokenCount(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxTokenCount
    ? (value as number)
    : undefined;
}

/**
 * The counts by which a model host bills a whole call, where it gives them beside the answer's own usage. They do not tell cache writes
 * of five minutes from those of an hour.
 */
export type HostCounts = Partial<Record<"input" | "output" | "cacheRead" | "cacheWrite", number | undefined>>;

/** An estimate for text: a token is some 3.5 characters of English (platform.claude.com, "Glossary", Tokens). */
export const bytesPerToken = 3.5;

/** All tokens of the prompt, cached or not. Price tiers depend on it. */
export function promptTokens(usage: TokenUsage): number {
  return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
}

/** All tokens, of whatever kind: the free credit counts them alike. */
export function totalTokens(usage: TokenUsage): number {
  return promptTokens(usage) + usage.output;
}

/** Upper bounds of a call's tokens. */
export type TokenBounds = { input: number; output: number };

/** Features of a request that the model host's counts do not tell apart. */
export type RequestFeatures = {
  /** True if a part of the prompt is marked for the cache. Otherwise nothing is written to the cache. */
  caching: boolean;
  /** True if a part of the prompt is marked for the cache of one hour. */
  oneHourCaching: boolean;
  /** The prompt may be compacted first: a second answer, billed beside the first. */
  compaction: boolean;
};
