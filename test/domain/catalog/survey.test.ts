import { beforeEach, describe, expect, test } from "@jest/globals";
import { findModel, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { HostListing, ListedPrice, PriceListing } from "../../../domain/catalog/host-listing.ts";
import { listedKinds } from "../../../domain/catalog/listed-rates.ts";
import { priceAt } from "../../../domain/catalog/price.ts";
import type { Region } from "../../../domain/catalog/region.ts";
import { differenceMessage, newsMessage, survey } from "../../../domain/catalog/survey.ts";
import { type TakenModel, withTakenUp } from "../../../domain/catalog/taken-up.ts";
import { listingOf, pricesOf } from "../../support/listings.ts";

const catalog = parseCatalog(catalogData);
const model = { id: "claude-opus-6", baseId: "anthropic.claude-opus-6", name: "Claude Opus 6", isLegacy: false };

let told: readonly string[];
let lines: string[];
let listings: (region: Region) => HostListing;
let prices: () => PriceListing;
let mayUse: () => boolean;
let taken: readonly TakenModel[];
let families: string[];
let now: number;
beforeEach(() => {
  [told, taken, families] = [[], [], []];
  now = Date.parse("2026-11-28T10:00:00Z");
  listings = (region) => listingOf(catalog, region);
  prices = () => pricesOf(catalog, "2026-11-28T00:00:00Z");
  mayUse = () => true;
});

async function surveyed(): Promise<string[]> {
  lines = [];
  await survey({
    catalog,
    host: { of: async (region) => listings(region), mayUse: async () => mayUse() },
    prices: { of: async () => prices() },
    store: {
      told: async () => [...told],
      remember: async (keys) => {
        told = keys;
      },
    },
    taken: {
      read: async () => [...taken],
      write: async (models) => {
        taken = models;
      },
    },
    families,
    log: {
      info: (message, { finding }) => void lines.push(`${message}: ${finding}`),
      problem: (message, { finding, list }) => void lines.push(`${message}: ${finding ?? list}`),
    },
    clock: () => now,
  });
  return lines;
}

const withNewModel = (region: Region) => ({
  ...listingOf(catalog, region),
  models: [...listingOf(catalog, region).models, model],
});
const without = (region: Region) => ({
  ...listingOf(catalog, region),
  profiles: listingOf(catalog, region).profiles.slice(1),
});

test("lists that agree with the catalog are told to nobody", async () => {
  expect(await surveyed()).toEqual([]);
});

test("news are told once, for all regions together, and again after they were gone", async () => {
  listings = withNewModel;
  expect(await surveyed()).toEqual([
    expect.stringMatching(`^${newsMessage}: .*Claude Opus 6 .* in eu-central-1, eu-central-2, us-east-1`),
  ]);
  expect(await surveyed()).toEqual([]);
  listings = (region) => listingOf(catalog, region);
  expect(await surveyed()).toEqual([]);
  listings = withNewModel;
  expect(await surveyed()).toHaveLength(1);
});

test("a difference is told each day that it is there", async () => {
  listings = without;
  const first = await surveyed();
  expect(first.every((line) => line.startsWith(differenceMessage))).toBe(true);
  expect(first).toHaveLength(3);
  expect(await surveyed()).toEqual(first);
});

test("a new model that the account may not call is not told", async () => {
  listings = withNewModel;
  mayUse = () => false;
  expect(await surveyed()).toEqual([]);
});

test("a list that cannot be read is told each day, hides nothing of the others, and tells no news twice", async () => {
  listings = withNewModel;
  await surveyed();
  listings = (region) => {
    if (region === "us-east-1") throw new Error("no answer");
    return without(region);
  };
  expect(await surveyed()).toEqual(
    expect.arrayContaining([
      `A list could not be read: The model host's lists of us-east-1`,
      `${differenceMessage}: The model host's lists of us-east-1 cannot be read.`,
      expect.stringMatching(`^${differenceMessage}: The model host does not list .* in eu-central-1`),
    ]),
  );
  listings = withNewModel;
  expect(await surveyed()).toEqual([]);
});

test("a price list that cannot be read is told, and the models are compared all the same", async () => {
  listings = without;
  prices = () => {
    throw new Error("no answer");
  };
  const found = await surveyed();
  expect(found.filter((line) => line.includes("The price list of"))).toHaveLength(6);
  expect(found.filter((line) => line.includes("does not list"))).toHaveLength(3);
});

test("what cannot be asked of a new model is told", async () => {
  listings = withNewModel;
  mayUse = () => {
    throw new Error("denied");
  };
  expect(await surveyed()).toContain(
    `${differenceMessage}: Whether the account may call anthropic.claude-opus-6 cannot be read.`,
  );
});

describe("a stack that takes up new models", () => {
  const { baseId } = model;
  const profiles = [
    { id: `eu.${baseId}`, baseId, reach: "geography" as const },
    { id: `global.${baseId}`, baseId, reach: "anywhere" as const },
  ];
  const withProfiles = (region: Region): HostListing => {
    const listing = withNewModel(region);
    return { ...listing, profiles: [...listing.profiles, ...(region === "us-east-1" ? profiles.slice(1) : profiles)] };
  };
  const rows = (reach: ListedPrice["reach"], usd: string, from: string): ListedPrice[] =>
    listedKinds.map((kind) => ({ ...{ name: model.name, reach, kind, isLong: false, from }, usd }));
  const list = (...more: ListedPrice[]) => {
    const base = pricesOf(catalog, "2026-11-28T00:00:00Z");
    return { ...base, prices: [...base.prices, ...more] };
  };
  const found = () => findModel(withTakenUp(catalog, taken), "claude-opus-6");
  const priceOn = (day: string) => {
    const model = found();
    return model && priceAt(model, `eu.${model.base_id}`, day)?.tiers[0]?.input;
  };

  beforeEach(() => {
    families = ["claude-opus"];
    listings = withProfiles;
    prices = () => list(...rows("global", "4", "2026-11-20"), ...rows("regional", "4.4", "2026-11-20"));
  });

  test("a new model of a named family is taken up at its listed price, and told once", async () => {
    expect(await surveyed()).toHaveLength(1);
    expect(await surveyed()).toEqual([]);
    expect(found()).toMatchObject({
      ...{ id: "claude-opus-6", display_name: "Claude Opus 6", base_id: model.baseId, max_output_tokens: 128_000 },
      capabilities: findModel(catalog, "claude-opus-5-5")?.capabilities,
    });
    expect(priceOn("2026-11-28")).toBe(4.4e9);
  });

  test.each<[string, () => void]>([
    ["of another family", () => (families = ["claude-haiku"])],
    ["that the account may not call", () => (mayUse = () => false)],
    ["of which a reach has no price", () => (prices = () => list(...rows("global", "4", "2026-11-20")))],
    [
      "of which a kind of token has no price",
      () =>
        (prices = () => list(...rows("global", "4", "2026-11-20"), ...rows("regional", "4.4", "2026-11-20").slice(1))),
    ],
    [
      "with a price of zero",
      () => (prices = () => list(...rows("global", "0", "2026-11-20"), ...rows("regional", "4.4", "2026-11-20"))),
    ],
    ["without a profile", () => (listings = withNewModel)],
  ])("a model %s is not taken up", async (_, change) => {
    change();
    await surveyed();
    expect(taken).toEqual([]);
  });

  test("another price follows the one that held, from its listed day and never before today", async () => {
    await surveyed();
    prices = () => list(...rows("global", "5", "2026-11-21"), ...rows("regional", "5.5", "2026-12-15"));
    expect((await surveyed()).length).toBeGreaterThan(0);
    await surveyed();
    expect([priceOn("2026-11-27"), priceOn("2026-12-14"), priceOn("2026-12-15")]).toEqual([4.4e9, 4.4e9, 5.5e9]);
    expect(taken[0]?.prices).toHaveLength(4);
    expect(taken[0]?.prices.find(({ usd }) => usd[0] === "5")?.from).toBe("2026-11-28");
  });

  test("a model that the host lists no more has ended, and its names stay known", async () => {
    await surveyed();
    listings = (region) => listingOf(catalog, region);
    await surveyed();
    expect(found()?.last_day).toBe("2026-11-27");
    now += 86_400_000;
    await surveyed();
    expect(found()?.last_day).toBe("2026-11-27");
    listings = withProfiles;
    await surveyed();
    expect(found()).not.toHaveProperty("last_day");
  });

  test("a model stays as it was while a list cannot be read", async () => {
    await surveyed();
    const before = taken;
    listings = () => {
      throw new Error("no answer");
    };
    await surveyed();
    expect(taken).toEqual(before);
  });
});
