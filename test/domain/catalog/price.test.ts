import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { findModel, type PriceTier, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { cost, costParts, priceAt, upperBound } from "../../../domain/catalog/price.ts";
import { maxTokenCount, promptTokens, type TokenUsage } from "../../../domain/catalog/token-usage.ts";
import { maxNanoUsd, parseUsd } from "../../../domain/kernel/money.ts";

const catalog = parseCatalog(catalogData);
const now = "2026-11-21T00:00:00.000Z";
const nothing: TokenUsage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

function listPrice(id: string, profile: string) {
  const model = findModel(catalog, id);
  const price = model && priceAt(model, profile, now);
  if (!price) throw new Error(`no price for ${profile}`);
  return price;
}

const haiku = listPrice("claude-haiku-5-5", "eu.anthropic.claude-haiku-5-5");
const opus = listPrice("claude-opus-5", "global.anthropic.claude-opus-5");

describe("the parts of a cost", () => {
  const tokens = fc.nat({ max: 2_000_000 });
  const anyUsage = fc.record({
    ...{ input: tokens, output: tokens, cache_read: tokens, cache_write_5m: tokens, cache_write_1h: tokens },
  });

  test("the parts of a cost add up exactly; none is negative, or differs by more than one nano-USD from its own price", () => {
    fc.assert(
      fc.property(anyUsage, fc.constantFrom(haiku, opus), (usage, price) => {
        const { saved: _, ...kinds } = costParts(price, usage);
        expect(Object.values(kinds).reduce((sum, part) => sum + part, 0)).toBe(cost(price, usage));
        for (const part of Object.values(kinds)) expect(part).toBeGreaterThanOrEqual(0);
        const tier = price.tiers.findLast((each, at) => at === 0 || promptTokens(usage) > each.prompt_tokens_above);
        for (const [kind, part] of Object.entries(kinds) as [keyof TokenUsage, number][]) {
          const exact = (usage[kind] * (tier?.[kind] ?? 0)) / 1_000_000;
          expect(Math.abs(part - exact)).toBeLessThan(1);
        }
      }),
    );
  });

  test("the parts of a cost show what caching saved: the reads at the price of input, less their cost and the premium for writes", () => {
    const usage = { ...nothing, cache_read: 1_000_000, cache_write_5m: 100_000, output: 10 };
    // Opus: 5 USD a million of input, 0.50 read, 6.25 written.
    expect(costParts(opus, usage).saved).toBe(parseUsd("4.5") - parseUsd("0.125"));
    expect(costParts(opus, { ...nothing, cache_write_1h: 1_000_000 }).saved).toBe(-parseUsd("5"));
    expect(costParts(opus, { ...nothing, input: 7, output: 9 }).saved).toBe(0);
  });
});

describe("cost", () => {
  test("a cost uses the rate of each kind of token", () => {
    expect(cost(opus, { ...nothing, input: 1_000_000 })).toBe(parseUsd("5"));
    expect(cost(opus, { ...nothing, output: 1_000_000 })).toBe(parseUsd("25"));
    expect(cost(opus, { ...nothing, cache_read: 1_000_000 })).toBe(parseUsd("0.5"));
    expect(cost(opus, { ...nothing, cache_write_5m: 1_000_000 })).toBe(parseUsd("6.25"));
    expect(cost(opus, { ...nothing, cache_write_1h: 1_000_000 })).toBe(parseUsd("10"));
    expect(cost(opus, { input: 10, output: 20, cache_read: 1_000, cache_write_5m: 100, cache_write_1h: 200 })).toBe(
      parseUsd("0.003675"),
    );
  });

  test("a cost's price tier depends on the whole prompt, including cached tokens", () => {
    const atTheLimit = {
      ...nothing,
      input: 10_000,
      cache_read: 60_000,
      cache_write_5m: 20_000,
      cache_write_1h: 10_000,
    };
    expect(cost(haiku, { ...atTheLimit, output: 500_000 })).toBe(
      parseUsd("0.0011") + parseUsd("0.00066") + parseUsd("0.00275") + parseUsd("0.0022") + parseUsd("0.275"),
    );
    const above = cost(haiku, { ...atTheLimit, input: 10_001, output: 500_000 });
    expect(above).toBe(
      parseUsd("0.00550055") + parseUsd("0.0033") + parseUsd("0.01375") + parseUsd("0.011") + parseUsd("1.375"),
    );
  });

  test("a cost is rounded up once, by less than a nano-USD", () => {
    expect(cost(haiku, { ...nothing, cache_write_5m: 1 })).toBe(138);
    expect(cost(haiku, { ...nothing, cache_write_5m: 2 })).toBe(275);
    expect(cost(haiku, { ...nothing, cache_write_5m: 1_000 })).toBe(137_500);
    expect(cost(haiku, nothing)).toBe(0);
  });

  test("values that are not counts of tokens are refused when a cost is computed", () => {
    for (const input of [-1, 0.5, Number.NaN]) expect(() => cost(opus, { ...nothing, input })).toThrow(RangeError);
  });
});

describe("priceAt", () => {
  const row = (from: string, profile: string) => ({ from, profiles: [profile], tiers: [] });
  const model = {
    prices: [row("2026-09-01", "a"), row("2026-01-01", "a"), row("2026-06-01T12:00:00Z", "a"), row("2026-07-01", "b")],
  };

  test.each([
    ["2026-01-01T00:00:00.000Z", "2026-01-01"],
    ["2026-06-01T11:59:59.999Z", "2026-01-01"],
    ["2026-06-01T12:00:00.000Z", "2026-06-01T12:00:00Z"],
    ["2026-08-31T23:59:59.999Z", "2026-06-01T12:00:00Z"],
    ["2026-09-01T00:00:00.000Z", "2026-09-01"],
    ["2030-01-01T00:00:00+02:00", "2026-09-01"],
  ])("the price in force at %p begins at %p", (at, from) => {
    expect(priceAt(model, "a", at)?.from).toBe(from);
  });

  test("there is no price before the first one, nor for an unknown profile", () => {
    expect(priceAt(model, "a", "2025-12-31T23:59:59.999Z")).toBeUndefined();
    expect(priceAt(model, "c", now)).toBeUndefined();
  });

  test("the price at a value that is not a time is an error", () => {
    expect(() => priceAt(model, "a", "yesterday")).toThrow("not a time: yesterday");
  });
});

/** All kinds of tokens may be in the prompt. */
const forAnHour = { caching: true, oneHourCaching: true };
const rate = fc.oneof(fc.integer({ min: 0, max: 50_000 }), fc.integer({ min: 0, max: parseUsd(1_000) }));
const tierAbove = (above: number): fc.Arbitrary<PriceTier> =>
  fc.record({
    prompt_tokens_above: fc.constant(above),
    input: rate,
    output: rate,
    cache_read: rate,
    cache_write_5m: rate,
    cache_write_1h: rate,
  });
/** Any rates at all: a higher tier may be cheaper, a cache read dearer than fresh input. */
const anyPrice = fc
  .uniqueArray(fc.integer({ min: 1, max: 2_000 }), { maxLength: 3 })
  .chain((starts) => fc.tuple(...[0, ...starts.toSorted((a, b) => a - b)].map(tierAbove)))
  .map((tiers) => ({ tiers }));
const usageUpTo = (max: number): fc.Arbitrary<TokenUsage> =>
  fc.record({
    input: fc.nat({ max }),
    output: fc.nat({ max }),
    cache_read: fc.nat({ max }),
    cache_write_5m: fc.nat({ max }),
    cache_write_1h: fc.nat({ max }),
  });
const anyUsage = fc.oneof(usageUpTo(700), usageUpTo(maxTokenCount));

describe("upperBound", () => {
  test("the upper bound of a cost is never below the cost of usage within the bounds", () => {
    const slack = fc.oneof(fc.constant(0), fc.nat({ max: 3_000 }), fc.constant(maxTokenCount));
    fc.assert(
      fc.property(anyPrice, anyUsage, slack, slack, (price, usage, promptSlack, outputSlack) => {
        const bounds = { input: promptTokens(usage) + promptSlack, output: usage.output + outputSlack };
        const asked = {
          caching: usage.cache_read + usage.cache_write_5m + usage.cache_write_1h > 0,
          oneHourCaching: usage.cache_write_1h > 0,
        };
        expect(upperBound(price, bounds, asked)).toBeGreaterThanOrEqual(cost(price, usage));
      }),
      { numRuns: 1_000 },
    );
  });

  test("the upper bound of a cost is reached by some usage within the bounds", () => {
    const bounds = { input: 100_000, output: 1_000 };
    for (const price of [opus, haiku]) {
      const reached = (kind: "input" | "cache_write_5m" | "cache_write_1h") =>
        cost(price, { ...nothing, [kind]: 100_000, output: 1_000 });
      expect(upperBound(price, bounds, forAnHour)).toBe(reached("cache_write_1h"));
      expect(upperBound(price, bounds, { caching: true, oneHourCaching: false })).toBe(reached("cache_write_5m"));
      expect(upperBound(price, bounds, { caching: false, oneHourCaching: false })).toBe(reached("input"));
    }
  });

  test("the upper bound of a cost finds a lower tier that is more expensive", () => {
    const tier = { ...nothing, output: 0 };
    const tiers = [
      { ...tier, prompt_tokens_above: 0, input: parseUsd(100) },
      { ...tier, prompt_tokens_above: 1_000, input: parseUsd("0.01") },
    ];
    expect(upperBound({ tiers }, { input: 2_000, output: 0 }, forAnHour)).toBe(
      cost({ tiers }, { ...nothing, input: 1_000 }),
    );
  });

  test("the upper bound of a cost accepts any max_tokens that a caller can send", () => {
    const bound = (output: number) => upperBound(opus, { input: 1, output }, forAnHour);
    const wild = bound(1e308);
    expect([bound(maxTokenCount), bound(Number.POSITIVE_INFINITY)]).toEqual([wild, wild]);
    for (const output of [-1, 1.5, Number.NaN]) expect(() => bound(output)).toThrow(RangeError);
  });
});

test("a cost is exact: a million such calls cost as much as all of their tokens together", () => {
  fc.assert(
    fc.property(anyPrice, anyUsage, (price, usage) => {
      const prompt = promptTokens(usage);
      const tier = price.tiers.findLast((tier) => prompt > tier.prompt_tokens_above) ?? price.tiers[0];
      const kinds = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"] as const;
      const millionths = kinds.reduce((sum, kind) => sum + BigInt(usage[kind]) * BigInt(tier?.[kind] ?? 0), 0n);
      const excess = BigInt(cost(price, usage)) * 1_000_000n - millionths;
      expect(excess >= 0n && excess < 1_000_000n).toBe(true);
    }),
  );
});

test("the largest cost is still an exact amount", () => {
  const highest = parseUsd(1_000);
  const tiers = [
    {
      prompt_tokens_above: 0,
      input: highest,
      output: highest,
      cache_read: highest,
      cache_write_5m: highest,
      cache_write_1h: highest,
    },
  ];
  const bounds = { input: Number.MAX_SAFE_INTEGER, output: Number.MAX_SAFE_INTEGER };
  expect(upperBound({ tiers }, bounds, forAnHour)).toBeLessThan(maxNanoUsd);
});
