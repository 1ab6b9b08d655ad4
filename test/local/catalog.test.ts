// What the platform offers, the local model host serves.
import { describe, expect, test } from "@jest/globals";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import { type Region, regions } from "../../domain/catalog/region.ts";
import { findModel, knownModels, modelReference, requireThroughput } from "../../emulators/bedrock/models.ts";

describe("the platform's catalog", () => {
  const offers = parseCatalog(catalogData).models.flatMap((model) =>
    regions.flatMap((region) =>
      Object.values(model.profiles[region] ?? {}).map((id): [string, Region] => [id, region]),
    ),
  );

  test("the platform's catalog has the same limits as the local model host", () => {
    const limits = (model: { maxInputTokens: number; maxOutputTokens: number } | undefined) =>
      model && [model.maxInputTokens, model.maxOutputTokens];
    for (const { base_id, max_input_tokens, max_output_tokens } of parseCatalog(catalogData).models) {
      expect([base_id, limits(knownModels.find(({ id }) => id === base_id))]).toEqual([
        base_id,
        [max_input_tokens, max_output_tokens],
      ]);
    }
  });

  test.each(offers)("the platform's catalog offers %s in %s, and the local model host serves it", (id, region) => {
    const reference = modelReference(id, region);
    expect(() => requireThroughput(findModel(knownModels, reference, region), reference, region)).not.toThrow();
  });
});
