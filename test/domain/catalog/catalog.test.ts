import { describe, expect, test } from "@jest/globals";
import {
  availableRegions,
  type CatalogInput,
  everyModel,
  findModel,
  isAllowed,
  type Model,
  type ModelAccess,
  modelsFor,
  parseCatalog,
  profileFor,
  profilesByRegion,
  withAliases,
} from "../../../domain/catalog/catalog.ts";
import { regions } from "../../../domain/catalog/region.ts";

type ModelInput = CatalogInput["models"][number];

const tier = {
  prompt_tokens_above: 0,
  input: 1,
  output: "5",
  cache_read: 0.1,
  cache_write_5m: 1.25,
  cache_write_1h: 2,
};

const capabilities = { betas: {}, refused_fields: [], system_turns: "pass" as const, count_tokens: "none" as const };

/** A model in all three regions. */
function aModel(id: string, changes: Partial<ModelInput> = {}): ModelInput {
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

function parsed(input: ModelInput): Model {
  const [model] = parseCatalog({ models: [input] }).models;
  if (!model) throw new Error("no model");
  return model;
}

const small = parsed(aModel("small"));

describe("findModel", () => {
  const catalog = parseCatalog({ models: [aModel("small"), aModel("large")] });

  test.each(["small", "small-latest", "host.small", "eu.host.small", "global.host.small"])(
    "findModel finds the alias small as %p",
    (name) => {
      expect(findModel(catalog, name)?.id).toBe("small");
    },
  );

  test.each(["", "Small", "smal", "us.host.small", "constructor"])("findModel does not find %p", (name) => {
    expect(findModel(catalog, name)).toBeUndefined();
  });
});

describe("profileFor", () => {
  test("profileFor prefers the geography's profile, then the region's own, then the global one", () => {
    const everything = parsed(
      aModel("x", {
        profiles: { "us-east-1": { anywhere: "global.host.x", region: "host.x", geography: "us.host.x" } },
        prices: [{ profiles: ["global.host.x", "host.x", "us.host.x"], from: "2026-01-01", tiers: [tier] }],
      }),
    );
    expect(profileFor(everything, "us-east-1", { allowGlobal: true })).toBe("us.host.x");
    expect(profileFor(small, "eu-central-1", { allowGlobal: true })).toBe("eu.host.small");
    expect(profileFor(small, "us-east-1", { allowGlobal: true })).toBe("host.small");
    expect(profileFor(small, "eu-central-2", { allowGlobal: true })).toBe("global.host.small");
  });

  test("profileFor gives a global profile only if that is allowed", () => {
    const world = parsed(
      aModel("world", {
        profiles: Object.fromEntries(regions.map((region) => [region, { anywhere: "global.host.world" }])),
        prices: [{ profiles: ["global.host.world"], from: "2026-01-01", tiers: [tier] }],
      }),
    );
    expect(availableRegions(world, { allowGlobal: false })).toEqual([]);
    expect(availableRegions(world, { allowGlobal: true })).toEqual(["eu-central-1", "eu-central-2", "us-east-1"]);
  });

  test("profileFor gives nothing for a region without the model", () => {
    const local = parsed(
      aModel("local", {
        profiles: { "us-east-1": { region: "host.local" } },
        prices: [{ profiles: ["host.local"], from: "2026-01-01", tiers: [tier] }],
      }),
    );
    expect(profileFor(local, "eu-central-1", { allowGlobal: true })).toBeUndefined();
    expect(profilesByRegion(local, { allowGlobal: true })).toEqual({ "us-east-1": "host.local" });
  });
});

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
    modelsFor(catalog, {
      allowed_models: [everyModel],
      allowed_regions: regions,
      allow_global_profiles: false,
      ...access,
    }).map((model) => model.id);

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

test("isAllowed knows every name of the model, and no beginning of one", () => {
  expect(isAllowed(small, ["small-latest"])).toBe(true);
  expect(isAllowed(small, [everyModel])).toBe(true);
  expect(isAllowed(small, ["smal", "small-late"])).toBe(false);
});

describe("withAliases", () => {
  const catalog = parseCatalog({ models: [aModel("small"), aModel("large")] });
  const aliased = withAliases(catalog, { latest: "large", tiny: "small-latest" });

  test("a call and a grant may name a model by its alias", () => {
    expect([findModel(aliased, "latest")?.id, findModel(aliased, "tiny")?.id]).toEqual(["large", "small"]);
    const allowed = { allowed_models: ["latest"], allowed_regions: regions, allow_global_profiles: false };
    expect(modelsFor(aliased, allowed).map(({ id }) => id)).toEqual(["large"]);
  });

  test("the catalog itself is as it was", () => {
    expect(findModel(catalog, "latest")).toBeUndefined();
    expect(withAliases(catalog, {})).toEqual(catalog);
  });

  test("withAliases refuses aliases that are taken or stand for no model, other aliases among them", () => {
    expect(() => withAliases(catalog, { small: "large", a: "b", b: "large" })).toThrow(
      'bad aliases\n  small: is already a name of small\n  a: there is no model "b"',
    );
  });
});

describe("parseCatalog", () => {
  const priced = (...tiers: (typeof tier)[]) => [
    { profiles: ["global.host.x", "eu.host.x", "host.x"], from: "2026-01-01", tiers },
  ];
  const prices = priced(tier);

  test("parseCatalog reads prices in USD per million tokens exactly", () => {
    expect(small.prices[0]?.tiers[0]).toEqual({
      prompt_tokens_above: 0,
      input: 1_000_000_000,
      output: 5_000_000_000,
      cache_read: 100_000_000,
      cache_write_5m: 1_250_000_000,
      cache_write_1h: 2_000_000_000,
    });
  });

  test.each<[string, ModelInput[], string]>([
    ["an id twice", [aModel("x"), aModel("x")], "the name x is already one of x"],
    [
      "an alias that is another's id",
      [aModel("x"), aModel("y", { aliases: ["x"] })],
      "y: the name x is already one of x",
    ],
    ["an alias twice", [aModel("x", { aliases: ["a", "a"] })], "the name a is already one of x"],
    [
      "a base id twice",
      [aModel("x"), { ...aModel("x"), id: "y", aliases: [] }],
      "y: the name host.x is already one of x",
    ],
    [
      "a profile without price",
      [aModel("x", { prices: [{ profiles: ["host.x"], from: "2026-01-01", tiers: [tier] }] })],
      "the profile eu.host.x has no price",
    ],
    [
      "a price for no profile",
      [aModel("x", { prices: [...prices, { profiles: ["us.host.x"], from: "2026-01-01", tiers: [tier] }] })],
      "there is a price for us.host.x, which serves no region",
    ],
    [
      "two prices from one time",
      [aModel("x", { prices: [...prices, { profiles: ["host.x"], from: "2026-01-01T00:00:00Z", tiers: [tier] }] })],
      "two prices for host.x from 2026-01-01",
    ],
    ["a region without profile", [aModel("x", { profiles: { "eu-central-1": {} } })], "a region needs a profile"],
    ["a model in no region", [aModel("x", { profiles: {} })], "x: is in no region"],
    [
      "counting without a place for a region of the model",
      [aModel("x", { capabilities: { ...capabilities, count_tokens: {} } })],
      "x: nothing says how tokens are counted for eu-central-1",
    ],
    [
      "counting that leaves the region of a model that does not",
      [
        aModel("x", {
          profiles: { "us-east-1": { region: "host.x" } },
          prices: [{ profiles: ["host.x"], from: "2026-01-01", tiers: [tier] }],
          capabilities: {
            ...capabilities,
            count_tokens: { "us-east-1": { endpoint: "messages", region: "us-east-2" } },
          },
        }),
      ],
      "x: counting for us-east-1 in us-east-2: the model is served without leaving the region",
    ],
    ["a negative price", [aModel("x", { prices: priced({ ...tier, input: -1 }) })], "must be an amount in USD"],
    [
      "a price of more than 1000 USD",
      [aModel("x", { prices: priced({ ...tier, input: 1_001 }) })],
      "must not be above 1000 USD per million tokens",
    ],
    [
      "tiers out of order",
      [aModel("x", { prices: priced(tier, { ...tier, prompt_tokens_above: 9 }, { ...tier, prompt_tokens_above: 8 }) })],
      "x: the tiers from 2026-01-01 must begin at 0 and ascend",
    ],
    ["a tier twice", [aModel("x", { prices: priced(tier, tier) })], "must begin at 0 and ascend"],
    [
      "tiers that do not begin at 0",
      [aModel("x", { prices: priced({ ...tier, prompt_tokens_above: 1 }) })],
      "must begin at 0 and ascend",
    ],
    [
      "a date that is none",
      [aModel("x", { prices: [{ profiles: ["host.x"], from: "2026-13-01", tiers: [tier] }] })],
      "models.0.prices.0.from",
    ],
  ])("refuses %s", (_what, models, problem) => {
    expect(() => parseCatalog({ models })).toThrow(problem);
  });

  test("parseCatalog refuses unknown fields, unknown regions and values that are not a catalog", () => {
    expect(() => parseCatalog({ models: [{ ...aModel("x"), colour: "red" }] })).toThrow('"colour"');
    expect(() => parseCatalog({ models: [{ ...aModel("x"), profiles: { "mars-1": { region: "host.x" } } }] })).toThrow(
      '"mars-1"',
    );
    for (const json of [undefined, null, [], "{}", {}, { models: [] }])
      expect(() => parseCatalog(json)).toThrow("bad catalog");
  });

  test("parseCatalog lists every problem at once", () => {
    const models = [aModel("x", { aliases: ["y"] }), aModel("y", { profiles: { "us-east-1": { region: "other" } } })];
    expect(() => parseCatalog({ models })).toThrow(/already one of x.*the profile other has no price/s);
  });

  test("parseCatalog takes prices that change, and a base id that is a profile", () => {
    const later = { profiles: ["host.x"], from: "2026-06-01", tiers: [tier] };
    expect(() => parseCatalog({ models: [aModel("x", { prices: [...prices, later] })] })).not.toThrow();
  });
});
