import { expect, test } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { surveyHandler } from "../../../handlers/survey/handler.ts";
import { listingOf, pricesOf } from "../../support/listings.ts";

const catalog = parseCatalog(catalogData);

function surveying(told: () => Promise<string[]>) {
  const lines: string[] = [];
  const handler = surveyHandler({
    catalog,
    host: { of: async (region) => listingOf(catalog, region), mayUse: async () => true },
    prices: { of: async () => pricesOf(catalog, "2026-11-28T00:00:00Z") },
    store: { told, remember: async () => {} },
    taken: { read: async () => [], write: async () => {} },
    families: [],
    log: { info: (message) => void lines.push(message), problem: (message) => void lines.push(message) },
    clock: () => Date.parse("2026-11-28T10:00:00Z"),
  });
  return { lines, handler };
}

test("a survey that is done says so, by which the alarm of its schedule stays silent", async () => {
  const { lines, handler } = surveying(async () => []);
  await handler();
  expect(lines).toEqual(["The scheduled work is done"]);
});

test("a survey that cannot remember is logged, and fails", async () => {
  const { lines, handler } = surveying(async () => {
    throw new Error("the store is down");
  });
  await expect(handler()).rejects.toThrow("the store is down");
  expect(lines).toEqual(["The model host could not be surveyed"]);
});
