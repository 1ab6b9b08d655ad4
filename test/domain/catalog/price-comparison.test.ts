import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { ListedPrice, PriceListing } from "../../../domain/catalog/host-listing.ts";
import { comparePrices } from "../../../domain/catalog/price-comparison.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { pricesOf } from "../../support/listings.ts";

const catalog = parseCatalog(catalogData);
const now = Date.parse("2026-11-28T10:00:00Z");
const list = pricesOf(catalog, "2026-11-27T00:00:00Z");

const compare = (changes: Partial<PriceListing>) =>
  comparePrices(catalog, "eu-central-1", { ...list, ...changes }, now);
const opus = (row: ListedPrice) => row.name === "Claude Opus 5.5" && row.reach === "regional";
const withOpus = (change: (row: ListedPrice) => ListedPrice[]) =>
  compare({ prices: list.prices.flatMap((row) => (opus(row) ? change(row) : [row])) });

test.each(regions)("a price list that agrees with the catalog gives no finding in %s", (region) => {
  expect(comparePrices(catalog, region, list, now)).toEqual([]);
});

test("an empty price list is an alarm of its own, and takes no price for gone", () => {
  expect(compare({ prices: [] })).toMatchObject([{ key: "empty prices eu-central-1", isAlarm: true }]);
});

test.each([
  ["2026-11-14T10:00:00Z", []],
  ["2026-11-14T09:59:59Z", ["old prices eu-central-1"]],
])("a price list of %s gives %j", (publishedAt, keys) => {
  expect(compare({ publishedAt }).map(({ key }) => key)).toEqual(keys);
});

test("a usage type that is not understood is an alarm that names it", () => {
  expect(compare({ notUnderstood: ["EUC1-MP:EUC1_thoughts-Units of Claude Opus 5.5 (1M tokens)"] })).toMatchObject([
    { isAlarm: true, says: expect.stringContaining("EUC1_thoughts-Units of Claude Opus 5.5") },
  ]);
});

test("each price that differs is named with both figures and its day, once for each profile", () => {
  const found = withOpus((row) => [
    row.kind === "input" || row.kind === "output" ? { ...row, usd: "9.9", from: "2026-11-20" } : row,
  ]);
  expect(found).toEqual([
    {
      key: "price eu.anthropic.claude-opus-5-5",
      isAlarm: true,
      says: "eu.anthropic.claude-opus-5-5 costs input 9.9 USD from 2026-11-20, and 4.4 in the catalog; output 9.9 USD from 2026-11-20, and 22 in the catalog.",
      lines: '{"profiles":["eu.anthropic.claude-opus-5-5"],"from":"2026-11-20","input":"9.9","output":"9.9"}',
    },
  ]);
});

test("a model with two prices, a price of zero and a price that is none are alarms that name no new price", () => {
  const twice = withOpus((row) => (row.kind === "input" ? [row, { ...row, usd: "5" }] : [row]));
  const zero = withOpus((row) => [row.kind === "input" ? { ...row, usd: "0" } : row]);
  const none = withOpus((row) => [row.kind === "input" ? { ...row, usd: "" } : row]);
  for (const [found, words] of [
    [twice, "2 prices: 4.4, 5"],
    [zero, "a price of zero"],
    [none, '"", which is no price'],
  ] as const) {
    expect(found).toEqual([
      {
        key: "unread price eu.anthropic.claude-opus-5-5 input",
        isAlarm: true,
        says: `The price list has for input of eu.anthropic.claude-opus-5-5 ${words}.`,
      },
    ]);
  }
});

test("two rows with the same price are one price", () => {
  expect(withOpus((row) => [row, row])).toEqual([]);
});

test("a price for long prompts that the catalog does not have is an alarm", () => {
  const found = withOpus((row) => [row, { ...row, isLong: true }]);
  expect(found[0]?.says).toContain("input of long prompts 4.4 USD from 2026-09-22, and nothing in the catalog");
});

test("a price of a later day is compared with the catalog's price of that day", () => {
  const models = catalogData.models.map((model) => {
    const [first] = model.prices.filter(({ profiles }) => profiles.includes("eu.anthropic.claude-opus-5-5"));
    const later = first && { ...first, from: "2026-12-15", tiers: first.tiers.map((tier) => ({ ...tier, input: 5 })) };
    return later ? { ...model, prices: [...model.prices, later] } : model;
  });
  const from = (day: string) => {
    const prices = list.prices.map((row) =>
      opus(row) && row.kind === "input" ? { ...row, usd: "5", from: day } : row,
    );
    return comparePrices(parseCatalog({ models }), "eu-central-1", { ...list, prices }, now).length;
  };
  expect([from("2026-12-15"), from("2026-12-14")]).toEqual([0, 1]);
});

test("any listed price is the catalog's, or is told: no price passes unseen", () => {
  const rows = list.prices.filter(opus);
  fc.assert(
    fc.property(
      fc.constantFrom(...rows),
      fc.oneof(fc.string(), fc.double().map(String), fc.constantFrom("4.4", "22", "0.22")),
      (changed, usd) => {
        const found = withOpus((row) => [row === changed ? { ...row, usd } : row]);
        expect(found.length).toBe(Number(usd) === Number(changed.usd) && /^\d+(\.\d{1,9})?$/.test(usd) ? 0 : 1);
      },
    ),
  );
});
