import { describe, expect, test } from "@jest/globals";
import { bedrockProblems } from "../../../adapters/bedrock/catalog-facts.ts";
import { type Model, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { Counting } from "../../../domain/catalog/counting.ts";

const catalog = parseCatalog(catalogData);
const [model] = catalog.models as [Model, ...Model[]];
const id = model.base_id;
const problemsOf = (changes: Partial<Model>) => bedrockProblems({ ...catalog, models: [{ ...model, ...changes }] });

test("the platform's catalog contains no impossible settings for Bedrock", () => {
  expect(bedrockProblems(catalog)).toEqual([]);
});

describe("the ids of profiles", () => {
  test.each<[string, Model["profiles"], string]>([
    ["of another geography", { "us-east-1": { geography: `eu.${id}` } }, `must be us.${id}`],
    ["that runs the model anywhere", { "eu-central-2": { geography: `global.${id}` } }, `must be eu.${id}`],
    ["of a geography, for the region alone", { "us-east-1": { region: `us.${id}` } }, `must be ${id}`],
    ["of the region, for anywhere", { "us-east-1": { anywhere: id } }, `must be global.${id}`],
    ["of another model", { "us-east-1": { geography: "us.host.y" } }, `must be us.${id}`],
  ])("a catalog is refused for a profile %s, which must keep the place that it promises", (_, profiles, problem) => {
    expect(problemsOf({ profiles })).toEqual([expect.stringContaining(problem)]);
    expect(problemsOf({ profiles })[0]).toMatch(new RegExp(`^${model.id}: the profile `));
  });
});

test.each([
  ["messages", "eu-central-2"],
  ["runtime", "eu-north-1"],
  ["messages", "mars-1"],
] as const)("tokens are not counted by %s in %s, where AWS has no such endpoint", (endpoint, region) => {
  const count_tokens: Counting = { "eu-central-1": { endpoint, region } };
  expect(problemsOf({ capabilities: { ...model.capabilities, count_tokens } })).toEqual([
    `${model.id}: counting for eu-central-1 in ${region}: AWS has no ${endpoint} endpoint that counts there`,
  ]);
});
