// One message to a model: what it asks for, what it turns out to use, and its way from admission to settlement.

import type { AdmissionContext } from "../../domain/budget/admitted.ts";
import { type Catalog, type Price, parseCatalog } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import { cost, priceAt, upperBound } from "../../domain/catalog/price.ts";
import { promptTokens, type RequestFeatures, type TokenUsage } from "../../domain/catalog/token-usage.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import { inputTokensBound } from "../../domain/messages/token-bound.ts";
import type { Account } from "./account.ts";
import type { Chance } from "./chance.ts";
import { admit, type Rule } from "./rules.ts";

const catalog: Catalog = parseCatalog(catalogData);

export type ModelPrice = { profile: string; contextWindow: number; price: Price };

/** A model's price with its global profile. */
export function modelPrice(id: string): ModelPrice {
  const model = catalog.names.get(id);
  const profile = `global.anthropic.${id}`;
  const price = model && priceAt(model, profile, "2026-11-10T00:00:00Z");
  if (!model || !price) throw new Error(`The catalog has no price of ${id}`);
  return { profile, contextWindow: model.max_input_tokens, price };
}

export type Message = ModelPrice & {
  bytes: number;
  /** The features by which the bounds are priced. */
  features: RequestFeatures;
  maxTokens: number;
  /** The tokens that the prompt turns out to use. */
  prompt: TokenUsage;
  /** The number of tokens that the model writes if it may. */
  outputTokens: number;
};

/** How a request went through the admission. */
export type Went = {
  milliseconds: number;
  /** The `max_tokens` that was sent; less than asked for if the call was shortened. */
  maxTokens: number;
  usage: TokenUsage;
  cost: number;
};

/** Bytes of a token: text and code, English and other languages. */
const bytesPerToken = [3, 4.2] as const;

/**
 * A prompt of so many bytes.
 * @param cachedShare of its tokens, read from the cache; what is not is written to it, if anything is cached at all
 */
export function promptOf(
  chance: Chance,
  bytes: number,
  { cachedShare, caching, oneHourCaching }: { cachedShare: number } & Omit<RequestFeatures, "compaction">,
): TokenUsage {
  const tokens = Math.round(bytes / chance.between(...bytesPerToken));
  const cached = Math.round(tokens * cachedShare);
  const fresh = tokens - cached;
  const none = { input: 0, output: 0, cache_read: cached, cache_write_5m: 0, cache_write_1h: 0 };
  if (!caching) return { ...none, input: fresh };
  return oneHourCaching ? { ...none, cache_write_1h: fresh } : { ...none, cache_write_5m: fresh };
}

/** Half of the answers are shorter than `median`. */
export function outputOf(chance: Chance, median: number): number {
  return Math.round(Math.min(8_000, Math.max(200, chance.logNormal(median, 0.9))));
}

/** The model host's pace. */
const firstEventMs = 800;
const freshTokensPerMillisecond = 15;
const cachedTokensPerMillisecond = 150;
const outputTokensPerSecond = 70;
/** The proxy's own time before the model host is called. */
const ownMs = 5;

/**
 * Admits and plays a message. It is settled after its last byte: whoever calls does not wait for that.
 * @param onRefused is told how long a refusal took
 * @throws Refusal
 */
export function play(
  account: Account,
  rule: Rule,
  context: AdmissionContext,
  message: Message,
  onRefused: (refusal: Refusal, milliseconds: number) => void,
): Promise<Went> {
  const { time } = account;
  const { promise, resolve, reject } = Promise.withResolvers<Went>();
  void account.inInstance(async (instance) => {
    const began = time.now;
    const request = requestOf(account.newRequestId(), rule, message);
    const admission = await admit(rule, { account, instance, context, request }).catch((refusal: Refusal) => {
      onRefused(refusal, time.now - began);
      reject(refusal);
    });
    if (!admission) return;
    const milliseconds = time.now - began;
    const { maxTokens } = admission;
    const { prompt, price } = message;
    const read = promptTokens(prompt) - prompt.cache_read;
    const hostMs = read / freshTokensPerMillisecond + prompt.cache_read / cachedTokensPerMillisecond;
    await time.pause(ownMs + firstEventMs + hostMs);
    admission.trueUp(cost(price, { ...prompt, output: maxTokens }), promptTokens(prompt));
    const usage = { ...prompt, output: Math.min(message.outputTokens, maxTokens) };
    await time.pause((usage.output / outputTokensPerSecond) * 1_000);
    const outcome = { usage, source: "final", cost: cost(price, usage) } as const;
    resolve({ milliseconds, maxTokens, usage, cost: outcome.cost });
    await admission.settle(outcome);
  });
  return promise;
}

function requestOf(requestId: string, rule: Rule, message: Message) {
  const { profile, bytes, contextWindow, maxTokens, price } = message;
  const input = inputTokensBound({}, bytes, contextWindow);
  const boundsAt = (output: number) => ({ input, output });
  // The rule of before priced each token of the prompt as one of the dearest kind, whatever the body asked for.
  const features = rule === "before" ? { ...message.features, caching: true, oneHourCaching: true } : message.features;
  return {
    ...{ requestId, profile, maxTokens, boundsAt },
    region: "eu-central-1",
    thinkingTokens: 0,
    costAt: (output: number) => upperBound(price, boundsAt(output), features),
  };
}
