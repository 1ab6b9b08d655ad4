import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { expect, test } from "@jest/globals";
import { fallbacksOf, storedFallbacks } from "../../../../adapters/dynamodb/budget/stored-fallbacks.ts";
import { parseCatalog } from "../../../../domain/catalog/catalog.ts";
import catalogData from "../../../../domain/catalog/catalog-data.ts";
import { itemBytes } from "../../../support/dynamodb/item-bytes.ts";

const fallback = { model: "claude-sonnet-5", region: "eu-central-2", until: Date.parse("2026-11-28T06:00:00Z") };

test("fallbacks are read from an item as they were stored", () => {
  const item = unmarshall(marshall({ fallbacks: storedFallbacks([fallback, { ...fallback, region: "us-east-1" }]) }));
  expect(fallbacksOf(item)).toEqual({ fallbacks: [fallback, { ...fallback, region: "us-east-1" }] });
});

test("an item without fallbacks has none", () => {
  expect([fallbacksOf({}), fallbacksOf(undefined)]).toEqual([{}, {}]);
});

test("a fallback of any model takes at most 48 bytes of its caller's item", () => {
  const bytes = (models: readonly string[]) =>
    itemBytes(marshall({ fallbacks: storedFallbacks(models.map((model) => ({ ...fallback, model }))) }));
  const ids = parseCatalog(catalogData).models.map(({ id }) => id);
  expect((bytes(ids) - bytes(ids.slice(0, 1))) / (ids.length - 1)).toBeLessThanOrEqual(48);
  expect(bytes(ids.slice(0, 3))).toBeLessThan(160);
});
