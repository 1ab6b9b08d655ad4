import { expect, test } from "@jest/globals";
import { chooseModels, chooseRegion, regionOf } from "../../../packages/token-helper/choice.ts";

const all = [
  "claude-opus-4-8",
  "claude-sonnet-4-6",
  "claude-sonnet-5",
  "claude-sonnet-5-5",
  "claude-haiku-4-5",
  "claude-haiku-5-5",
];

test.each([
  ["the newest Sonnet, and the newest Haiku for small jobs", all, {}, ["claude-sonnet-5-5", "claude-haiku-5-5"]],
  [
    "the newest Opus where no Sonnet is granted",
    ["claude-opus-4-6", "claude-opus-4-8"],
    {},
    ["claude-opus-4-8", "claude-opus-4-8"],
  ],
  ["a model of no known family", ["nova-1"], {}, ["nova-1", "nova-1"]],
  [
    "what is wanted",
    all,
    { model: "claude-opus-4-8", smallModel: "claude-sonnet-5" },
    ["claude-opus-4-8", "claude-sonnet-5"],
  ],
  [
    "a name without its date",
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    {},
    ["claude-haiku-4-5", "claude-haiku-4-5"],
  ],
])("the choice of models for setup takes %s", (_what, granted, wanted, expected) => {
  const { model, smallModel } = chooseModels(granted, "eu-central-1", wanted);
  expect([model, smallModel]).toEqual(expected);
});

test("the choice of a model does not depend on the order of the grant", () => {
  expect(chooseModels(all.toReversed(), "eu-central-1", {})).toEqual(chooseModels(all, "eu-central-1", {}));
});

test("the choice of models for setup contains the newest of each granted family", () => {
  expect(chooseModels(all, "eu-central-1", {}).families).toEqual({
    opus: "claude-opus-4-8",
    sonnet: "claude-sonnet-5-5",
    haiku: "claude-haiku-5-5",
  });
});

test("the choice of models for setup refuses models that are not granted, and a grant without a model", () => {
  expect(() => chooseModels(all, "eu-central-1", { model: "gpt-9" })).toThrow(
    "gpt-9 is not granted to you in eu-central-1: claude-opus-4-8, ",
  );
  expect(() => chooseModels([], "eu-central-1", {})).toThrow("names no model that eu-central-1 serves");
});

const budget = { regions: ["eu-central-1", "us-east-1"], default_region: "eu-central-1" };

test("setup names a region if one is requested, or if the platform's default is not granted", () => {
  expect(chooseRegion(budget)).toBeUndefined();
  expect(chooseRegion(budget, "us-east-1")).toBe("us-east-1");
  expect(chooseRegion({ ...budget, default_region: "eu-west-1" })).toBe("eu-central-1");
  expect(() => chooseRegion(budget, "mars-1")).toThrow("mars-1 is not granted to you: eu-central-1, us-east-1");
});

test("calls of a set-up client run in the named region, or else in the platform's default", () => {
  expect([regionOf(budget, "us-east-1"), regionOf(budget, undefined)]).toEqual(["us-east-1", "eu-central-1"]);
});
