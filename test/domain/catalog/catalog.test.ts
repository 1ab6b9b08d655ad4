import { describe, expect, test } from "@jest/globals";
import {
  availableRegions,
  everyModel,
  findModel,
  isAllowed,
  isStackAlias,
  type Model,
  parseCatalog,
  profileFor,
  profilesByRegion,
  withAliases,
} from "../../../domain/catalog/catalog.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { aModel, capabilities, type ModelInput, tier } from "../../support/a-model.ts";

function parsed(input: ModelInput): Model {
  const [model] = parseCatalog({ models: [input] }).models;
  if (!model) throw new Error("no model");
  return model;
}

const small = parsed(aModel("small"));

describe("findModel", () => {
  const catalog = parseCatalog({ models: [aModel("small"), aModel("large")] });

  test.each(["small", "small-latest", "host.small", "eu.host.small", "global.host.small"])(
    "the name %p finds the model with the alias small",
    (name) => {
      expect(findModel(catalog, name)?.id).toBe("small");
    },
  );

  test.each(["", "Small", "smal", "us.host.small", "constructor"])("the name %p finds no model", (name) => {
    expect(findModel(catalog, name)).toBeUndefined();
  });
});

describe("profileFor", () => {
  test("a call prefers the geography's profile, then the region's own, then the global one", () => {
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

  test("a global profile is used only if it is allowed", () => {
    const world = parsed(
      aModel("world", {
        profiles: Object.fromEntries(regions.map((region) => [region, { anywhere: "global.host.world" }])),
        prices: [{ profiles: ["global.host.world"], from: "2026-01-01", tiers: [tier] }],
      }),
    );
    expect(availableRegions(world, { allowGlobal: false })).toEqual([]);
    expect(availableRegions(world, { allowGlobal: true })).toEqual(["eu-central-1", "eu-central-2", "us-east-1"]);
  });

  test("a model has no profile in a region without the model", () => {
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

test("a grant allows a model by any of its names, but not by the beginning of a name", () => {
  expect(isAllowed(small, ["small-latest"])).toBe(true);
  expect(isAllowed(small, [everyModel])).toBe(true);
  expect(isAllowed(small, ["smal", "small-late"])).toBe(false);
});

describe("withAliases", () => {
  const catalog = parseCatalog({ models: [aModel("small"), aModel("large")] });
  const aliased = withAliases(catalog, { latest: "large", tiny: "small-latest" });

  test("a call and a grant may name a model by its alias", () => {
    expect([findModel(aliased, "latest")?.id, findModel(aliased, "tiny")?.id]).toEqual(["large", "small"]);
    const large = findModel(aliased, "latest");
    expect(large && isAllowed(large, ["latest"])).toBe(true);
  });

  test("only a name that the stack gave is a stack alias, and none of the model's own", () => {
    const large = findModel(aliased, "large");
    const names = ["latest", "large", "large-latest", "eu.host.large", "tiny"];
    expect(names.filter((name) => large && isStackAlias(large, name))).toEqual(["latest"]);
  });

  test("adding aliases does not change the catalog itself", () => {
    expect(findModel(catalog, "latest")).toBeUndefined();
    expect([...withAliases(catalog, {}).names.keys()]).toEqual([...catalog.names.keys()]);
  });

  test("an alias is refused if it is taken, or names no model, or names another alias", () => {
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

  test("prices in a catalog's text are read exactly, in USD per million tokens", () => {
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
    ["a successor that is no model", [aModel("x", { successor: "y" })], 'x: there is no model "y" to succeed it'],
    ["a model that succeeds itself", [aModel("x", { successor: "host.x" })], "x: succeeds itself"],
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

  test("a catalog's text with unknown fields, unknown regions or wrong types is refused", () => {
    expect(() => parseCatalog({ models: [{ ...aModel("x"), colour: "red" }] })).toThrow('"colour"');
    expect(() => parseCatalog({ models: [{ ...aModel("x"), profiles: { "mars-1": { region: "host.x" } } }] })).toThrow(
      '"mars-1"',
    );
    for (const json of [undefined, null, [], "{}", {}, { models: [] }])
      expect(() => parseCatalog(json)).toThrow("bad catalog");
  });

  test("every problem of a catalog's text is listed at once", () => {
    const models = [aModel("x", { aliases: ["y"] }), aModel("y", { profiles: { "us-east-1": { region: "other" } } })];
    expect(() => parseCatalog({ models })).toThrow(/already one of x.*the profile other has no price/s);
  });

  test("a catalog's text can have prices that change, and a base id that is a profile", () => {
    const later = { profiles: ["host.x"], from: "2026-06-01", tiers: [tier] };
    expect(() => parseCatalog({ models: [aModel("x", { prices: [...prices, later] })] })).not.toThrow();
  });
});
