import { expect, test } from "@jest/globals";
import type { ListedPrice } from "../../../domain/catalog/host-listing.ts";
import { listedKinds } from "../../../domain/catalog/listed-rates.ts";
import { modelLines, profilesOf } from "../../../domain/catalog/model-lines.ts";

const baseId = "anthropic.claude-opus-6";
const model = { id: "claude-opus-6", baseId, name: "Claude Opus 6", isLegacy: false };
const listing = {
  region: "eu-central-1" as const,
  models: [model],
  profiles: [
    { id: `eu.${baseId}`, baseId, reach: "geography" as const },
    { id: `global.${baseId}`, baseId, reach: "anywhere" as const },
    { id: "eu.anthropic.x", baseId: "anthropic.x", reach: "geography" as const },
  ],
};
const rows = (reach: ListedPrice["reach"], ...prices: number[]): ListedPrice[] =>
  listedKinds.map((kind, index) => ({
    ...{ name: model.name, reach, kind, isLong: false, from: "2026-12-01" },
    usd: String(prices[index]),
  }));

test("the lines of a new model have its ids, its profiles and its listed prices in the price page's order", () => {
  const prices = [...rows("global", 4, 20, 5, 8, 0.2), ...rows("regional", 4.4, 22, 5.5, 8.8, 0.22)];
  expect(modelLines(model, [listing], prices)).toBe(
    [
      'model("claude-opus-6", "Claude Opus 6", {',
      "  ...large, // The context window and the output limit are on AWS's model card.",
      '  released: "2026-12-01",',
      '  base: "anthropic.claude-opus-6",',
      '  profiles: () => ({"eu-central-1":{"geography":"eu.anthropic.claude-opus-6","anywhere":"global.anthropic.claude-opus-6"}}),',
      "  tiers: [rates(4, 20, 5, 8, 0.2)], // Regional: 4.4, 22, 5.5, 8.8, 0.22",
      "  capabilities: since47, // Confirm what the model refuses.",
      "}),",
    ].join("\n"),
  );
});

test("the lines of a new model have no price if a kind of token has none, or two, or one of zero, or long prompts have another", () => {
  const whole = rows("global", 4, 20, 5, 8, 0.2);
  const [first] = whole;
  if (!first) throw new Error("no price");
  for (const prices of [
    [],
    whole.slice(1),
    [...whole, { ...first, usd: "5" }],
    rows("global", 4, 20, 5, 8, 0),
    [...whole, { ...first, isLong: true }],
  ]) {
    expect(modelLines(model, [listing], prices)).not.toContain("rates(");
  }
});

test("a profile of another model is none of this one", () => {
  expect(profilesOf("anthropic.y", listing)).toEqual({});
});
