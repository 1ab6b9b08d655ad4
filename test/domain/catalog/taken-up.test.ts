import { expect, test } from "@jest/globals";
import { findModel, parseCatalog, withAliases } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { type TakenModel, withTakenUp } from "../../../domain/catalog/taken-up.ts";

const catalog = parseCatalog(catalogData);

function aTakenModel(id: string): TakenModel {
  const base_id = `anthropic.${id}`;
  return {
    ...{ id, base_id, display_name: id, taken_on: "2026-11-28" },
    profiles: { "eu-central-1": { geography: `eu.${base_id}`, anywhere: `global.${base_id}` } },
    prices: [
      { reach: "global", from: "2026-11-28", usd: ["4", "20", "5", "8", "0.2"] },
      { reach: "regional", from: "2026-11-28", usd: ["4.4", "22", "5.5", "8.8", "0.22"] },
    ],
  };
}

test("a model that was taken up is found by all of its names, beside the catalog's", () => {
  const live = withTakenUp(catalog, [aTakenModel("claude-opus-6")]);
  for (const name of ["claude-opus-6", "anthropic.claude-opus-6", "eu.anthropic.claude-opus-6"]) {
    expect(findModel(live, name)?.id).toBe("claude-opus-6");
  }
  expect(findModel(live, "claude-opus-5")).toEqual(findModel(catalog, "claude-opus-5"));
});

test("a model that the catalog names is the catalog's", () => {
  expect(withTakenUp(catalog, [aTakenModel("claude-opus-5-5")])).toBe(catalog);
  const haiku = { ...aTakenModel("claude-haiku-4-5-20270101-v2:0"), id: "claude-haiku-4-5" };
  expect(findModel(withTakenUp(catalog, [haiku]), "claude-haiku-4-5")?.base_id).toBe(
    "anthropic.claude-haiku-4-5-20251001-v1:0",
  );
});

test("a stack's alias that is the name of a model that was taken up leads to that model", () => {
  const aliased = withAliases(catalog, { "claude-opus-6": "claude-opus-5-5", latest: "claude-opus-5-5" });
  const live = withTakenUp(aliased, [aTakenModel("claude-opus-6")]);
  expect(findModel(live, "claude-opus-6")?.display_name).toBe("claude-opus-6");
  expect(findModel(live, "latest")).toMatchObject({ id: "claude-opus-5-5", stack_aliases: ["latest"] });
});

test("a model without a family in the catalog is not taken up", () => {
  expect(withTakenUp(catalog, [aTakenModel("claude-epic-1")])).toBe(catalog);
});
