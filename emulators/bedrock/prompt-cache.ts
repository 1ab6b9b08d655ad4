// Prompt caching as bills show it: the prompt before a breakpoint is written once, and read until it expires. Real models cache no
// prompts under 1,024 to 4,096 tokens; these do, so that tests can be short.
import { createHash } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { PromptPart } from "./request/tokens.ts";

/** The input side of `usage`. The three kinds do not overlap: the prompt is their sum. */
export type InputUsage = {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
};

type Ttl = "5m" | "1h";

const lifetime: Record<Ttl, number> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };
/** How many parts before a breakpoint are searched for an earlier one (20 on the real service). */
const lookback = 20;
const cleanupAbove = 10_000;

export class PromptCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { ttl: Ttl; expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reads the longest cached prefix and writes the prefixes of the later breakpoints.
   * @param scope the model and region, whose calls share a cache.
   */
  use(scope: string, parts: PromptPart[]): InputUsage {
    const prefixes = cumulative(scope, parts);
    const breakpoints = prefixes.filter(({ ttl }) => ttl);
    const read = this.#longestCached(prefixes, breakpoints);
    const written = { "5m": 0, "1h": 0 };
    let cached = read;
    for (const { hash, tokens, ttl } of breakpoints) {
      if (!hash || !ttl || tokens <= read) continue;
      written[ttl] += tokens - cached;
      cached = tokens;
      this.#remember(hash, ttl);
    }
    return {
      input_tokens: (prefixes.at(-1)?.tokens ?? 0) - cached,
      cache_creation_input_tokens: written["5m"] + written["1h"],
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: written["5m"], ephemeral_1h_input_tokens: written["1h"] },
    };
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The tokens of the longest cached prefix. A read renews its lifetime. */
  #longestCached(prefixes: Prefix[], breakpoints: Prefix[]): number {
    const now = this.#clock.now();
    for (const { index } of breakpoints.toReversed()) {
      for (const { hash = "", tokens } of prefixes.slice(Math.max(0, index - lookback), index + 1).toReversed()) {
        const entry = this.#entries.get(hash);
        if (!entry || entry.expiresAt <= now) continue;
        entry.expiresAt = now + lifetime[entry.ttl];
        return tokens;
      }
    }
    return 0;
  }

  #remember(hash: string, ttl: Ttl): void {
    const now = this.#clock.now();
    if (this.#entries.size > cleanupAbove) {
      for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    }
    this.#entries.set(hash, { ttl, expiresAt: now + lifetime[ttl] });
  }
}

/** The prompt up to and including one part. */
type Prefix = { index: number; tokens: number; ttl?: Ttl; hash?: string };

/** Hashes are made only for prompts with a breakpoint: most calls in a load test have none. */
function cumulative(scope: string, parts: PromptPart[]): Prefix[] {
  const hash = parts.some(({ ttl }) => ttl) ? createHash("sha256").update(scope) : undefined;
  let tokens = 0;
  return parts.map((part, index) => {
    tokens += part.tokens;
    const text = hash?.update(JSON.stringify(part.content)).copy().digest("base64");
    return { index, tokens, ...(part.ttl && { ttl: part.ttl }), ...(text && { hash: text }) };
  });
}
