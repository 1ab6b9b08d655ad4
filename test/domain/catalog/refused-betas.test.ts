import { expect, test } from "@jest/globals";
import { RefusedBetas } from "../../../domain/catalog/refused-betas.ts";

const refused = new RefusedBetas();
refused.add("m", ["bad"]);
refused.add("m", ["good", "worse"]);

test.each([
  [["good"], ["good"]],
  [["bad"], []],
  [["bad", "good"], ["good"]],
  [["good", "worse"], []],
  [["good", "bad", "worse", "other"], ["other"]],
  [["worse"], ["worse"]],
  [[], []],
])("of %j these are worth trying: %j", (flags, worth) => {
  expect(refused.worthTrying("m", flags)).toEqual(worth);
});

test("each model refuses on its own", () => {
  expect(refused.worthTrying("n", ["bad"])).toEqual(["bad"]);
});

test("a flag that turns out to be refused alone no longer takes others with it", () => {
  const refused = new RefusedBetas();
  refused.add("m", ["good", "bad"]);
  refused.add("m", ["bad"]);
  expect(refused.worthTrying("m", ["good", "bad"])).toEqual(["good"]);
});

test("what callers make up does not add up: the oldest goes first", () => {
  const refused = new RefusedBetas();
  for (let count = 0; count <= 100; count++) refused.add("m", [`flag-${count}`]);
  expect(refused.worthTrying("m", ["flag-0", "flag-1", "flag-100"])).toEqual(["flag-0"]);
});
