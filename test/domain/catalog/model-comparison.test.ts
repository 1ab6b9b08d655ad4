import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { HostListing, ListedModel } from "../../../domain/catalog/host-listing.ts";
import { compareModels, newModelFinding, newModels } from "../../../domain/catalog/model-comparison.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { listingOf } from "../../support/listings.ts";

const catalog = parseCatalog(catalogData);
const now = Date.parse("2026-11-28T10:00:00Z");
const here = listingOf(catalog, "eu-central-1");
const opus = "anthropic.claude-opus-5-5";

const keysOf = (listing: HostListing, known = catalog) => compareModels(known, listing, now).map(({ key }) => key);
const changed = (change: Partial<ListedModel>): HostListing => ({
  ...here,
  models: here.models.map((model) => (model.baseId === opus ? { ...model, ...change } : model)),
});
const ending = (last_day: string) =>
  parseCatalog({
    models: catalogData.models.map((model) => (model.base_id === opus ? { ...model, last_day } : model)),
  });

test.each(regions)("lists that agree with the catalog give no finding in %s", (region) => {
  expect(compareModels(catalog, listingOf(catalog, region), now)).toEqual([]);
  expect(newModels(catalog, [listingOf(catalog, region)])).toEqual([]);
});

test.each([
  ["models", { models: [] }],
  ["profiles", { profiles: [] }],
])("an empty list of %s is an alarm of its own, and takes no model for gone", (_, change) => {
  expect(compareModels(catalog, { ...here, ...change }, now)).toMatchObject([
    { key: "empty list eu-central-1", isAlarm: true },
  ]);
});

test("a profile that the host does not list is an alarm, whichever profiles they are", () => {
  fc.assert(
    fc.property(fc.subarray([...here.profiles], { minLength: 1 }), (kept) => {
      const gone = here.profiles.filter((profile) => !kept.includes(profile));
      const found = compareModels(catalog, { ...here, profiles: kept }, now);
      expect(found.map(({ key }) => key).sort()).toEqual(gone.map(({ id }) => `gone ${id} eu-central-1`).sort());
      expect(found.every(({ isAlarm }) => isAlarm)).toBe(true);
    }),
  );
});

test("a model that serves a region without a profile is gone if the host does not list it there", () => {
  const listing = listingOf(catalog, "us-east-1");
  const models = listing.models.filter(({ baseId }) => baseId !== "anthropic.claude-opus-5");
  expect(keysOf({ ...listing, models })).toEqual(["gone anthropic.claude-opus-5 us-east-1"]);
});

test("a profile that the catalog lacks is news, with the line to add", () => {
  const added = {
    id: "eu.anthropic.claude-fable-5-1",
    baseId: "anthropic.claude-fable-5-1",
    reach: "geography" as const,
  };
  const profiles = [...here.profiles, added];
  expect(compareModels(catalog, { ...here, profiles }, now)).toMatchObject([
    {
      key: "new profile eu.anthropic.claude-fable-5-1 eu-central-1",
      isAlarm: false,
      lines:
        'eu-central-1: {"anywhere":"global.anthropic.claude-fable-5-1","geography":"eu.anthropic.claude-fable-5-1"}',
    },
  ]);
});

describe("the last day that the host names", () => {
  test.each([
    ["in more than 90 days", { lastDay: "2027-06-01" }, []],
    ["within 90 days", { lastDay: "2027-02-01" }, [["end claude-opus-5-5 2027-02-01", false]]],
    ["late, of a legacy model", { lastDay: "2027-06-01", isLegacy: true }, [["end claude-opus-5-5 2027-06-01", false]]],
    ["in the past", { lastDay: "2026-11-01" }, [["end claude-opus-5-5 2026-11-01", true]]],
  ])("a model that ends %s is told as it matters", (_, change, expected) => {
    const found = compareModels(catalog, changed(change), now);
    expect(found.map(({ key, isAlarm }) => [key, isAlarm])).toEqual(expected);
    for (const { lines } of found) expect(lines).toBe(`hostLastDay: "${change.lastDay}",`);
  });

  test("a last day that the catalog has too is no finding", () => {
    expect(keysOf(changed({ lastDay: "2027-02-01", isLegacy: true }), ending("2027-02-01"))).toEqual([]);
  });

  test.each([
    ["moved", { lastDay: "2027-03-01" }, "other end claude-opus-5-5 2027-03-01"],
    ["taken back", {}, "other end claude-opus-5-5 "],
  ])("a last day that the host has %s is an alarm", (_, change, key) => {
    for (const day of ["2026-11-01", "2027-02-01"]) {
      const found = compareModels(ending(day), changed(change), now).filter(({ key }) => key.startsWith("other end"));
      expect(found).toMatchObject([{ key, isAlarm: true }]);
    }
  });
});

describe("a model that the catalog lacks", () => {
  const model = { id: "claude-opus-6", baseId: "anthropic.claude-opus-6", name: "Claude Opus 6", isLegacy: false };
  const listing = {
    ...here,
    models: [...here.models, model],
    profiles: [...here.profiles, { id: `eu.${model.baseId}`, baseId: model.baseId, reach: "geography" as const }],
  };

  test("a new model is found once for all regions, and one that the host advises against is none", () => {
    expect(newModels(catalog, [listing, { ...listing, region: "eu-central-2" }])).toEqual([model]);
    const legacy = { ...listing, models: [{ ...model, isLegacy: true }] };
    expect(newModels(catalog, [legacy])).toEqual([]);
    expect(keysOf(listing)).toEqual([]);
  });

  test("a new model without a price is told without one", () => {
    const { says, lines, isAlarm } = newModelFinding(model, [listing], []);
    expect([says, isAlarm]).toEqual([
      "The model host has Claude Opus 6 (anthropic.claude-opus-6) in eu-central-1, and the catalog does not.",
      false,
    ]);
    expect(lines).toContain("Without one the model cannot be offered");
    expect(lines).not.toContain("rates(");
  });
});
