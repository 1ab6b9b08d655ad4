// Prices: the cost of a call and its upper bound, in exact integer arithmetic, rounded up once to a whole nano-USD.
import type { NanoUsd } from "../kernel/money.ts";
import type { Model, Price, PriceTier } from "./catalog.ts";
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
  const tier = tierOf(price, usage);
  return wholeNanoUsd(tokenKinds.reduce((sum, kind) => sum + charge(usage[kind], tier[kind]), 0n));
}

/** The cost of a call split by kind of token, and what caching saved, in nano-USD. */
export type CostParts = Record<TokenKind, NanoUsd> & {
  /**
   * How much more the call would have cost without a cache, with its whole prompt at the price of input. Below zero if writing the cache
   * cost more than reading it saved.
   */
  saved: NanoUsd;
};

/** The parts of `cost`. They add up to it exactly: what rounding up adds falls to the kind at which the sum passes a whole nano-USD. */
export function costParts(price: Pick<Price, "tiers">, usage: TokenUsage): CostParts {
  const tier = tierOf(price, usage);
  let [sum, booked] = [0n, 0];
  const parts = tokenKinds.map((kind) => {
    sum += charge(usage[kind], tier[kind]);
    const part = wholeNanoUsd(sum) - booked;
    booked += part;
    return [kind, part] as const;
  });
  const uncached = { ...usage, input: promptTokens(usage), cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
  return {
    ...(Object.fromEntries(parts) as Record<TokenKind, NanoUsd>),
    saved: cost(price, uncached) - booked,
  };
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

function tierOf({ tiers }: Pick<Price, "tiers">, usage: TokenUsage): PriceTier {
  const prompt = promptTokens(usage);
  const tier = tiers.findLast((tier, index) => index === 0 || prompt > tier.prompt_tokens_above);
  if (!tier) throw new RangeError("a price without tiers");
  return tier;
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
