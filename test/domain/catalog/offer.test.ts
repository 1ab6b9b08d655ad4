import { expect, test } from "@jest/globals";
import { parseCatalog, withAliases } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { offersFor } from "../../../domain/catalog/offer.ts";
import { regions } from "../../../domain/catalog/region.ts";

const catalog = parseCatalog(catalogData);
const now = Date.parse("2026-11-23T10:00:00Z");
const all = { allowed_models: ["*"], allowed_regions: regions, allow_global_profiles: true };

test("a model's price is that of the profile that serves the region, in USD per million tokens", () => {
  const sonnet = offersFor(catalog, all, now).find(({ id }) => id === "claude-sonnet-4-6");
  const [european] = sonnet?.regions.filter(({ region }) => region === "eu-central-1") ?? [];
  // Anthropic's price page says 3 and 15 USD, and 10 % more within a geography.
  const [tier] = european?.prices ?? [];
  expect([european?.runs_anywhere, tier]).toMatchObject([false, { prompt_tokens_above: 0, input: 3.3, output: 16.5 }]);
});

test("a region that only a global profile serves is marked, and left out if that profile is not allowed", () => {
  const worldwide = (access: typeof all) =>
    offersFor(catalog, access, now)
      .flatMap((offer) => offer.regions)
      .filter(({ region, runs_anywhere }) => region.startsWith("eu") && runs_anywhere);
  expect(worldwide(all).length).toBeGreaterThan(0);
  expect(worldwide({ ...all, allow_global_profiles: false })).toEqual([]);
});

test("a model without a price at that time is not offered", () => {
  expect(offersFor(catalog, all, Date.parse("2020-01-01T00:00:00Z"))).toEqual([]);
});

test("an offer tells the stack's own names apart from the model's", () => {
  const [offer] = offersFor(withAliases(catalog, { latest: "claude-opus-4-5" }), all, now).filter(
    ({ id }) => id === "claude-opus-4-5",
  );
  expect([offer?.aliases, offer?.stack_aliases]).toEqual([["claude-opus-4-5-20251101"], ["latest"]]);
});
