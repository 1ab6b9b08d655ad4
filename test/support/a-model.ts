// A model of a made-up host, as a catalog's document has it.
import type { CatalogInput } from "../../domain/catalog/catalog.ts";

export type ModelInput = CatalogInput["models"][number];

export const tier = {
  prompt_tokens_above: 0,
  input: 1,
  output: "5",
  cache_read: 0.1,
  cache_write_5m: 1.25,
  cache_write_1h: 2,
};

export const capabilities = {
  betas: {},
  refused_fields: [],
  system_turns: "pass" as const,
  count_tokens: "none" as const,
};

/** A model in all three regions. */
export function aModel(id: string, changes: Partial<ModelInput> = {}): ModelInput {
  return {
    id,
    aliases: [`${id}-latest`],
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: 200_000,
    max_output_tokens: 64_000,
    base_id: `host.${id}`,
    profiles: {
      "eu-central-1": { anywhere: `global.host.${id}`, geography: `eu.host.${id}` },
      "eu-central-2": { anywhere: `global.host.${id}` },
      "us-east-1": { anywhere: `global.host.${id}`, region: `host.${id}` },
    },
    prices: [{ profiles: [`global.host.${id}`, `eu.host.${id}`, `host.${id}`], from: "2026-01-01", tiers: [tier] }],
    capabilities,
    ...changes,
  };
}
