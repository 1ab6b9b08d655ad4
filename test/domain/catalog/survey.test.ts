import { beforeEach, expect, test } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { HostListing, PriceListing } from "../../../domain/catalog/host-listing.ts";
import type { Region } from "../../../domain/catalog/region.ts";
import { differenceMessage, newsMessage, survey } from "../../../domain/catalog/survey.ts";
import { listingOf, pricesOf } from "../../support/listings.ts";

const catalog = parseCatalog(catalogData);
const model = { id: "claude-opus-6", baseId: "anthropic.claude-opus-6", name: "Claude Opus 6", isLegacy: false };

let told: readonly string[];
let lines: string[];
let listings: (region: Region) => HostListing;
let prices: () => PriceListing;
let mayUse: () => boolean;
beforeEach(() => {
  told = [];
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
    log: {
      info: (message, { finding }) => void lines.push(`${message}: ${finding}`),
      problem: (message, { finding, list }) => void lines.push(`${message}: ${finding ?? list}`),
    },
    clock: () => Date.parse("2026-11-28T10:00:00Z"),
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
