// The catalog as callers of the control plane read it: what each model costs now in each region, its limits and names.
import * as z from "zod";
import { usdNumber } from "../kernel/money.ts";
import { type Catalog, type Model, type ModelAccess, modelsFor, type PriceTier, profileFor } from "./catalog.ts";
import { priceAt } from "./price.ts";
import type { Region } from "./region.ts";
import { regionName } from "./region-name.ts";

const tier = z
  .object({
    prompt_tokens_above: z.int().describe("The prices hold for prompts with more tokens than this, all kinds counted"),
    input: z.number().describe("Input that no cache holds"),
    output: z.number().describe("Output"),
    cache_read: z.number().describe("Input that is read from the cache"),
    cache_write_5m: z.number().describe("Input that is written into the cache for five minutes"),
    cache_write_1h: z.number().describe("Input that is written into the cache for an hour"),
  })
  .meta({ id: "Prices", description: "USD per million tokens of each kind" });

const offeredRegion = z
  .object({
    region: regionName.describe("The region"),
    runs_anywhere: z.boolean().describe("Whether the model may run in any region of the world for calls of this one"),
    prices: z.array(tier).describe("USD per million tokens of each kind, as budgets count them"),
  })
  .meta({ id: "OfferedRegion", description: "A model in a region" });

export const offerSchema = z
  .object({
    id: z.string().describe("The name by which calls and grants name the model"),
    display_name: z.string().describe("Its name for people"),
    aliases: z.array(z.string()).describe("Other names that calls and grants may use"),
    created_at: z.iso.datetime().describe("When its maker published it"),
    max_input_tokens: z.int().describe("The context window"),
    max_output_tokens: z.int().describe("The most that `max_tokens` asks for"),
    regions: z.array(offeredRegion).describe("Where the caller may call it"),
  })
  .meta({ id: "OfferedModel", description: "A model that the caller may call" });

export type Offer = z.output<typeof offerSchema>;

/** The models that may be called, newest first, with the regions in which they may. @param now in milliseconds */
export function offersFor(catalog: Catalog, access: ModelAccess, now: number): Offer[] {
  const at = new Date(now).toISOString();
  return modelsFor(catalog, access).map((model) => ({
    id: model.id,
    display_name: model.display_name,
    aliases: model.aliases,
    created_at: model.created_at,
    max_input_tokens: model.max_input_tokens,
    max_output_tokens: model.max_output_tokens,
    regions: access.allowed_regions.flatMap((region) => regionOffer(model, region, access, at)),
  }));
}

/** Returns undefined where no profile serves the region, or none has a price at this time. */
function regionOffer(model: Model, region: Region, access: ModelAccess, at: string): Offer["regions"] {
  const profile = profileFor(model, region, { allowGlobal: access.allow_global_profiles });
  const price = profile && priceAt(model, profile, at);
  if (!price) return [];
  return [{ region, runs_anywhere: profile.startsWith("global."), prices: price.tiers.map(inUsd) }];
}

function inUsd({ prompt_tokens_above, ...rates }: PriceTier): Offer["regions"][number]["prices"][number] {
  const { input, output, cache_read, cache_write_5m, cache_write_1h } = rates;
  return {
    prompt_tokens_above,
    input: usdNumber(input),
    output: usdNumber(output),
    cache_read: usdNumber(cache_read),
    cache_write_5m: usdNumber(cache_write_5m),
    cache_write_1h: usdNumber(cache_write_1h),
  };
}
