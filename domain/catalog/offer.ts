// The catalog as callers of the control plane read it: what each model costs now in each region, its limits and names.
import * as z from "zod";
import { usdNumber } from "../kernel/money.ts";
import { endingOf, modelsFor } from "./availability.ts";
import { type Catalog, type Model, type ModelAccess, type PriceTier, profileFor } from "./catalog.ts";
import { priceAt } from "./price.ts";
import type { Region } from "./region.ts";
import { regionName } from "./region-name.ts";

const tier = z
  .object({
    prompt_tokens_above: z
      .int()
      .describe("The prices apply to prompts with more tokens than this number. Tokens of all kinds count"),
    input: z.number().describe("Price of uncached input"),
    output: z.number().describe("Price of output"),
    cache_read: z.number().describe("Price of input that is read from the cache"),
    cache_write_5m: z.number().describe("Price of input that is written to the cache for five minutes"),
    cache_write_1h: z.number().describe("Price of input that is written to the cache for one hour"),
  })
  .meta({ id: "Prices", description: "Prices of a model, in USD per million tokens" });

const offeredRegion = z
  .object({
    region: regionName.describe("Name of the region"),
    runs_anywhere: z.boolean().describe("Whether calls in this region may run the model in any region of the world"),
    prices: z.array(tier).describe("Prices in USD per million tokens, as budgets count them"),
  })
  .meta({ id: "OfferedRegion", description: "A region in which a model can be called" });

export const offerSchema = z
  .object({
    id: z.string().describe("Id of the model, as calls and grants name it"),
    display_name: z.string().describe("Name of the model, for people"),
    aliases: z.array(z.string()).describe("Other names of the model that calls and grants may use"),
    stack_aliases: z
      .array(z.string())
      .describe(
        "Names that this platform gave to the model. A name may be that of another model: this model answers then, at its own price",
      ),
    created_at: z.iso.datetime().describe("When the vendor published the model"),
    max_input_tokens: z.int().describe("Size of the context window, in tokens"),
    max_output_tokens: z.int().describe("The highest `max_tokens` that a call may ask for"),
    last_day: z.iso
      .date()
      .optional()
      .describe("Last day (UTC) on which the model can be called here. Absent while no end is known"),
    vendor_last_day: z.iso
      .date()
      .optional()
      .describe("Last day (UTC) at the vendor's own API. The model can be called here after it"),
    successor: z.string().optional().describe("Id of the model to use instead, if an end is known"),
    regions: z.array(offeredRegion).describe("Regions in which the caller may call the model"),
  })
  .meta({ id: "OfferedModel", description: "A model that the caller may call" });

export type Offer = z.output<typeof offerSchema>;

/** The models that may be called, newest first, with the regions in which they may. @param now in milliseconds */
export function offersFor(catalog: Catalog, access: ModelAccess, now: number): Offer[] {
  const at = new Date(now).toISOString();
  return modelsFor(catalog, access, now).map((model) => ({
    id: model.id,
    display_name: model.display_name,
    aliases: model.aliases,
    stack_aliases: [...(model.stack_aliases ?? [])],
    created_at: model.created_at,
    max_input_tokens: model.max_input_tokens,
    max_output_tokens: model.max_output_tokens,
    ...endingOf(catalog, model, now),
    regions: access.allowed_regions.flatMap((region) => regionOffer(model, region, access, at)),
  }));
}

/** Gives an empty list where no profile with a price serves the region. */
function regionOffer(model: Model, region: Region, access: ModelAccess, at: string): Offer["regions"] {
  const profile = profileFor(model, region, { allowGlobal: access.allow_global_profiles });
  const price = profile && priceAt(model, profile, at);
  if (!price) return [];
  return [{ region, runs_anywhere: profile === model.profiles[region]?.anywhere, prices: price.tiers.map(inUsd) }];
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
