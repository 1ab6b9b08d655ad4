import { beforeEach, expect, test } from "@jest/globals";
import { findModel, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { LiveCatalog } from "../../../domain/catalog/live-catalog.ts";
import type { TakenModel } from "../../../domain/catalog/taken-up.ts";

const base_id = "anthropic.claude-opus-6";
const taken: TakenModel = {
  ...{ id: "claude-opus-6", base_id, display_name: "Claude Opus 6", taken_on: "2026-11-28" },
  profiles: { "eu-central-1": { anywhere: `global.${base_id}` } },
  prices: [{ reach: "global", from: "2026-11-28", usd: ["4", "20", "5", "8", "0.2"] }],
};

let now: number;
let reads: number;
let stored: () => TakenModel[];
let problems: string[];
let live: LiveCatalog;
beforeEach(() => {
  [now, reads, problems] = [0, 0, []];
  stored = () => [];
  live = new LiveCatalog({
    catalog: parseCatalog(catalogData),
    read: async () => {
      reads += 1;
      return stored();
    },
    log: { problem: (message) => void problems.push(message) },
    clock: () => now,
  });
});

const known = async () => {
  await live.freshen();
  return findModel(live, "claude-opus-6") !== undefined;
};

test("a model that was taken up is known within a minute, by one read a minute", async () => {
  expect(await known()).toBe(false);
  stored = () => [taken];
  now = 59_999;
  expect(await known()).toBe(false);
  now = 60_000;
  expect([await known(), await known(), reads]).toEqual([true, true, 2]);
});

test("the catalog stays as it is while the store does not answer", async () => {
  stored = () => [taken];
  expect(await known()).toBe(true);
  stored = () => {
    throw new Error("no answer");
  };
  now = 60_000;
  expect([await known(), problems]).toEqual([true, ["The models that were taken up could not be read"]]);
});

test("a catalog that takes up nothing reads nothing", async () => {
  const still = new LiveCatalog({
    catalog: parseCatalog(catalogData),
    read: undefined,
    log: { problem: () => {} },
    clock: () => now,
  });
  await still.freshen();
  expect(still.models).toHaveLength(catalogData.models.length);
});

test("the catalog is brought up to date before the work", async () => {
  stored = () => [taken];
  const work = live.before(async (name: string) => findModel(live, name)?.id);
  expect(await work("claude-opus-6")).toBe("claude-opus-6");
});
