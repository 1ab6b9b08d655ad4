// The catalog that is used unless a stack brings its own: Claude on Amazon Bedrock, as of 2026-11.
// Prices: Anthropic's price page and public catalogues; AWS sets its own, so confirm them before billing. Windows, output
// limits and dates: AWS's model cards and Anthropic's model pages.

import { formatUsd, parseUsd } from "../kernel/money.ts";
import type { Capabilities } from "./capability.ts";
import { opus45, opus46, opus47, since47, sonnetAndHaiku45 } from "./capability-data.ts";
import type { CatalogInput } from "./catalog.ts";

type ModelInput = CatalogInput["models"][number];
type TierInput = ModelInput["prices"][number]["tiers"][number];
/** The page of a price, and the day on which it was read. */
type PriceSource = { page: `https://${string}`; read: `${number}-${number}-${number}` };
type Profiles = ModelInput["profiles"];

/** USD per million tokens with a global profile, in the order of the price page. */
function rates(input: number, output: number, write5m: number, write1h: number, read: number, above = 0): TierInput {
  return {
    prompt_tokens_above: above,
    input,
    output,
    cache_read: read,
    cache_write_5m: write5m,
    cache_write_1h: write1h,
  };
}

/** Profiles of a geography and of a single region cost 10 % more than global ones, every kind of token alike. */
function inGeography(tier: TierInput): TierInput {
  const raised = (usd: number | string) => formatUsd((parseUsd(usd) * 11) / 10);
  return {
    prompt_tokens_above: tier.prompt_tokens_above,
    input: raised(tier.input),
    output: raised(tier.output),
    cache_read: raised(tier.cache_read),
    cache_write_5m: raised(tier.cache_write_5m),
    cache_write_1h: raised(tier.cache_write_1h),
  };
}

/** From eu-central-2 an `eu.` profile may leave Switzerland for the EU. */
function geographic(base: string): Profiles {
  return { ...outsideZurich(base), "eu-central-2": { geography: `eu.${base}`, anywhere: `global.${base}` } };
}

/** The profiles of models from 4.7 to 5, and of Haiku 4.5: in us-east-1 a call may also stay in the region. */
function inRegion(base: string): Profiles {
  const profiles = geographic(base);
  return { ...profiles, "us-east-1": { ...profiles["us-east-1"], region: base } };
}

/** The profiles of models of 4.6 and older, and of Fable 5.2: no source names eu-central-2. */
function outsideZurich(base: string): Profiles {
  const anywhere = `global.${base}`;
  return { "eu-central-1": { geography: `eu.${base}`, anywhere }, "us-east-1": { geography: `us.${base}`, anywhere } };
}

/**
 * A model without a profile of Europe. AWS's price list has Fable 5.1 with `us.` at 11 and 55 USD, and with no `eu.`
 * (pricing.us-east-1.amazonaws.com, AmazonBedrockFoundationModels, read 2026-11).
 */
function outsideEurope(base: string): Profiles {
  const anywhere = `global.${base}`;
  return {
    "eu-central-1": { anywhere },
    "eu-central-2": { anywhere },
    "us-east-1": { geography: `us.${base}`, anywhere },
  };
}

function model(
  id: string,
  displayName: string,
  facts: {
    released: string;
    contextWindow: number;
    maxOutput: number;
    /** The limit at the vendor's own API, if it is higher. */
    vendorMaxOutput?: number;
    /** The base id, if it is not `anthropic.` and the id. */
    base?: string;
    aliases?: string[];
    profiles: (base: string) => Profiles;
    tiers: TierInput[];
    /** The vendor's last day: platform.claude.com, "Model deprecations", and the warnings of its SDKs. */
    vendorLastDay?: string;
    /** The last day on Bedrock: the model's lifecycle there (ListFoundationModels, `endOfLifeTime`). */
    hostLastDay?: string;
    /** The model to use after that, if it is not the newest of the family. */
    successor?: string;
    /** Prices that hold later than `released`: from the beginning (UTC) of the day given. */
    priceChanges?: { from: string; tiers: TierInput[]; source: PriceSource }[];
    capabilities: Capabilities;
  },
): ModelInput {
  const base = facts.base ?? `anthropic.${id}`;
  const profiles = facts.profiles(base);
  const ids = Object.values(profiles).flatMap(({ geography, region }) => [geography, region]);
  const others = [...new Set(ids.filter((id) => id !== undefined))];
  const prices = [{ from: facts.released, tiers: facts.tiers }, ...(facts.priceChanges ?? [])].flatMap(
    ({ from, tiers }) => [
      { profiles: [`global.${base}`], from, tiers },
      ...(others.length > 0 ? [{ profiles: others, from, tiers: tiers.map(inGeography) }] : []),
    ],
  );
  return {
    id,
    aliases: facts.aliases ?? [],
    display_name: displayName,
    created_at: `${facts.released}T00:00:00Z`,
    max_input_tokens: facts.contextWindow,
    max_output_tokens: facts.maxOutput,
    ...(facts.vendorMaxOutput !== undefined && { vendor_max_output_tokens: facts.vendorMaxOutput }),
    base_id: base,
    profiles,
    prices,
    ...(facts.hostLastDay !== undefined && { last_day: facts.hostLastDay }),
    ...(facts.vendorLastDay !== undefined && { vendor_last_day: facts.vendorLastDay }),
    ...(facts.successor !== undefined && { successor: facts.successor }),
    capabilities: facts.capabilities,
  };
}

const large = { contextWindow: 1_000_000, maxOutput: 128_000 };
const small = { contextWindow: 200_000, maxOutput: 64_000 };
const opusRates = rates(5, 25, 6.25, 10, 0.5);
const sonnetRates = rates(3, 15, 3.75, 6, 0.3);

const catalogData: CatalogInput = {
  models: [
    // AWS's model card of Claude Fable 5.2, 2026-11-09. Prices: AmazonBedrockFoundationModels, as genai-prices 0.2.3 has them.
    model("claude-fable-5-2", "Claude Fable 5.2", {
      ...large,
      released: "2026-11-09",
      profiles: outsideZurich,
      tiers: [rates(8, 40, 10, 16, 0.2)],
      capabilities: since47,
    }),
    model("claude-haiku-5-5", "Claude Haiku 5.5", {
      ...large,
      released: "2026-10-07",
      profiles: geographic,
      // This model alone has a price that depends on the prompt's length.
      tiers: [rates(0.1, 0.5, 0.125, 0.2, 0.01), rates(0.5, 2.5, 0.625, 1, 0.05, 100_000)],
      capabilities: since47,
    }),
    model("claude-sonnet-5-5", "Claude Sonnet 5.5", {
      ...large,
      released: "2026-09-28",
      profiles: geographic,
      tiers: [rates(2, 10, 2.5, 4, 0.1)],
      capabilities: since47,
    }),
    model("claude-opus-5-5", "Claude Opus 5.5", {
      ...large,
      released: "2026-09-22",
      profiles: geographic,
      tiers: [rates(4, 20, 5, 8, 0.2)],
      capabilities: since47,
    }),
    model("claude-fable-5-1", "Claude Fable 5.1", {
      ...large,
      released: "2026-09-01",
      profiles: outsideEurope,
      tiers: [rates(10, 50, 12.5, 20, 0.25)],
      capabilities: since47,
    }),
    model("claude-opus-5", "Claude Opus 5", {
      ...large,
      released: "2026-07-24",
      profiles: inRegion,
      tiers: [opusRates],
      capabilities: since47,
    }),
    model("claude-sonnet-5", "Claude Sonnet 5", {
      ...large,
      released: "2026-06-30",
      profiles: inRegion,
      tiers: [rates(2, 10, 2.5, 4, 0.2)],
      capabilities: since47,
    }),
    model("claude-fable-5", "Claude Fable 5", {
      ...large,
      released: "2026-06-09",
      profiles: inRegion,
      tiers: [rates(10, 50, 12.5, 20, 1)],
      capabilities: since47,
    }),
    model("claude-opus-4-8", "Claude Opus 4.8", {
      ...large,
      released: "2026-05-28",
      profiles: inRegion,
      tiers: [opusRates],
      capabilities: since47,
    }),
    model("claude-opus-4-7", "Claude Opus 4.7", {
      ...large,
      released: "2026-04-16",
      profiles: inRegion,
      tiers: [opusRates],
      capabilities: opus47,
    }),
    model("claude-sonnet-4-6", "Claude Sonnet 4.6", {
      contextWindow: 1_000_000,
      maxOutput: 64_000,
      // LiteLLM, model_prices_and_context_window.json, 2026-11: 128,000 at Anthropic and 64,000 on Bedrock.
      vendorMaxOutput: 128_000,
      released: "2026-02-17",
      profiles: outsideZurich,
      tiers: [sonnetRates],
      capabilities: opus46,
    }),
    model("claude-opus-4-6", "Claude Opus 4.6", {
      ...large,
      released: "2026-02-05",
      base: "anthropic.claude-opus-4-6-v1",
      profiles: outsideZurich,
      tiers: [opusRates],
      capabilities: opus46,
    }),
    model("claude-opus-4-5", "Claude Opus 4.5", {
      ...small,
      released: "2025-11-24",
      base: "anthropic.claude-opus-4-5-20251101-v1:0",
      aliases: ["claude-opus-4-5-20251101"],
      // @anthropic-ai/sdk 1.13.0, 2026-11-23.
      vendorLastDay: "2027-01-22",
      profiles: outsideZurich,
      tiers: [opusRates],
      capabilities: opus45,
    }),
    model("claude-haiku-4-5", "Claude Haiku 4.5", {
      ...small,
      released: "2025-10-15",
      base: "anthropic.claude-haiku-4-5-20251001-v1:0",
      aliases: ["claude-haiku-4-5-20251001"],
      profiles: inRegion,
      tiers: [rates(1, 5, 1.25, 2, 0.1)],
      capabilities: sonnetAndHaiku45,
    }),
    model("claude-sonnet-4-5", "Claude Sonnet 4.5", {
      ...small,
      released: "2025-09-29",
      base: "anthropic.claude-sonnet-4-5-20250929-v1:0",
      aliases: ["claude-sonnet-4-5-20250929"],
      // @anthropic-ai/sdk 1.13.0, 2026-11-23.
      vendorLastDay: "2026-11-30",
      profiles: outsideZurich,
      tiers: [sonnetRates],
      capabilities: sonnetAndHaiku45,
    }),
  ],
};

export default catalogData;
