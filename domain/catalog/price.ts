// Prices: the cost of a call and its upper bound, in exact integer arithmetic, rounded up once to a whole nano-USD.
import type { NanoUsd } from "../kernel/money.ts";
import type { Model, Price } from "./catalog.ts";
import {
  maxTokenCount,
  promptTokens,
  type RequestFeatures,
  type TokenBounds,
  type TokenKind,
  type TokenUsage,
} from "./token-usage.ts";

const tokenKinds = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"] as const satisfies TokenKind[];
const promptKinds = tokenKinds.filter((kind) => kind !== "output");

/**
 * The price of a profile at a time (ISO 8601, UTC). Undefined if the catalog has none that holds then: such a call is
 * refused, never free.
 */
export function priceAt(model: Pick<Model, "prices">, profileId: string, at: string): Price | undefined {
  const time = Date.parse(at);
  if (Number.isNaN(time)) throw new RangeError(`not a time: ${at}`);
  return model.prices
    .filter((price) => price.profiles.includes(profileId) && Date.parse(price.from) <= time)
    .reduce<Price | undefined>(
      (latest, price) => (latest && Date.parse(latest.from) > Date.parse(price.from) ? latest : price),
      undefined,
    );
}

/** The cost of the usage: each kind of token at its own rate, in the tier of the whole prompt's length. */
export function cost(price: Pick<Price, "tiers">, usage: TokenUsage): NanoUsd {
  const prompt = promptTokens(usage);
  const tier = price.tiers.findLast((tier, index) => index === 0 || prompt > tier.prompt_tokens_above);
  if (!tier) throw new RangeError("a price without tiers");
  return wholeNanoUsd(tokenKinds.reduce((sum, kind) => sum + charge(usage[kind], tier[kind]), 0n));
}

/**
 * The most that a call within the bounds can cost: every token of the prompt at the highest rate of the kinds that the request
 * can make of it, in the highest tier that the bound reaches. The input counts cached tokens too.
 */
export function upperBound(
  price: Pick<Price, "tiers">,
  bounds: TokenBounds,
  asked: Pick<RequestFeatures, "caching" | "oneHourCaching">,
): NanoUsd {
  const kinds = promptKinds.filter((kind) => isPossible(kind, asked));
  // No count exceeds maxTokenCount, so a bound beyond it, such as a caller's wild max_tokens, says no more.
  const prompt = Math.min(bounds.input, promptKinds.length * maxTokenCount);
  const output = Math.min(bounds.output, maxTokenCount);
  const costs = price.tiers
    .filter((tier, index) => index === 0 || prompt > tier.prompt_tokens_above)
    .map((tier, index) => {
      const longest = Math.min(prompt, price.tiers[index + 1]?.prompt_tokens_above ?? prompt);
      return wholeNanoUsd(charge(longest, Math.max(...kinds.map((kind) => tier[kind]))) + charge(output, tier.output));
    });
  return Math.max(...costs);
}

function isPossible(kind: TokenKind, { caching, oneHourCaching }: Pick<RequestFeatures, "caching" | "oneHourCaching">) {
  if (kind === "input") return true;
  return kind === "cache_write_1h" ? oneHourCaching : caching;
}

/** The charge in millionths of a nano-USD, because rates are per million tokens. */
function charge(tokens: number, rate: NanoUsd): bigint {
  if (!Number.isInteger(tokens) || tokens < 0) throw new RangeError(`not a count of tokens: ${tokens}`);
  return BigInt(tokens) * BigInt(rate);
}

function wholeNanoUsd(millionths: bigint): NanoUsd {
  return Number((millionths + 999_999n) / 1_000_000n);
}
