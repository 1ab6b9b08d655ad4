import { describe, expect, test } from "@jest/globals";
import { modelsFor, offeredAt } from "../../../domain/catalog/availability.ts";
import { everyModel, findModel, type ModelAccess, parseCatalog } from "../../../domain/catalog/catalog.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { aModel, tier } from "../../support/a-model.ts";

const now = Date.parse("2026-11-28T00:00:00Z");
const everywhere: ModelAccess = {
  allowed_models: [everyModel],
  allowed_regions: regions,
  allow_global_profiles: false,
};

describe("modelsFor", () => {
  const catalog = parseCatalog({
    models: [
      aModel("old", { created_at: "2025-01-01T00:00:00Z" }),
      aModel("new", { created_at: "2026-06-01T00:00:00Z" }),
      aModel("b", { created_at: "2025-06-01T00:00:00Z" }),
      aModel("a", { created_at: "2025-06-01T00:00:00Z" }),
    ],
  });
  const ids = (access: Partial<ModelAccess>) =>
    modelsFor(catalog, { ...everywhere, ...access }, now).map((model) => model.id);

  test("modelsFor lists the newest first, and equal ones by id", () => {
    expect(ids({})).toEqual(["new", "a", "b", "old"]);
  });

  test("modelsFor lists only what the grant names, by whichever name", () => {
    expect(ids({ allowed_models: ["old", "new-latest", "eu.host.a", "unknown"] })).toEqual(["new", "a", "old"]);
    expect(ids({ allowed_models: [] })).toEqual([]);
  });

  test("modelsFor lists only what can be reached in a region of the grant", () => {
    expect(ids({ allowed_regions: ["eu-central-2"] })).toEqual([]);
    expect(ids({ allowed_regions: ["eu-central-2"], allow_global_profiles: true })).toHaveLength(4);
    expect(ids({ allowed_regions: [] })).toEqual([]);
  });
});

describe("a profile without a price", () => {
  const tiers = [tier];
  const priced = (from: string) => {
    const prices = [
      { profiles: ["global.host.x", "host.x"], from: "2026-01-01", tiers },
      { profiles: ["eu.host.x"], from, tiers },
    ];
    return parseCatalog({ models: [aModel("x", { prices })] });
  };

  test("a profile without a price today is not offered, while the model's others are", () => {
    const catalog = priced("2026-12-01");
    const model = findModel(catalog, "x");
    expect(model && offeredAt(model, now)?.profiles).toEqual({
      "eu-central-1": { anywhere: "global.host.x" },
      "eu-central-2": { anywhere: "global.host.x" },
      "us-east-1": { anywhere: "global.host.x", region: "host.x" },
    });
    expect(modelsFor(catalog, { ...everywhere, allowed_regions: ["eu-central-1"] }, now)).toEqual([]);
  });

  test("a profile is offered from the first moment of its price", () => {
    const catalog = priced("2026-11-28");
    const european = { ...everywhere, allowed_regions: ["eu-central-1" as const] };
    const ids = (at: number) => modelsFor(catalog, european, at).map(({ id }) => id);
    expect([ids(now - 1), ids(now)]).toEqual([[], ["x"]]);
  });

  test("a model of which no profile has a price is not offered", () => {
    const [model] = parseCatalog({ models: [aModel("x")] }).models;
    expect(model && offeredAt(model, Date.parse("2025-12-31T23:59:59Z"))).toBeUndefined();
  });
});
