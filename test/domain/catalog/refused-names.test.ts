import { expect, test } from "@jest/globals";
import { RefusedNames } from "../../../domain/catalog/refused-names.ts";

const called = { modelId: "m", region: "r" };
const refused = new RefusedNames();
refused.add(called, ["bad"]);
refused.add(called, ["good", "worse"]);

test.each([
  [["good"], ["good"]],
  [["bad"], []],
  [["bad", "good"], ["good"]],
  [["good", "worse"], []],
  [["good", "bad", "worse", "other"], ["other"]],
  [["worse"], ["worse"]],
  [[], []],
])("of the names %j these are worth trying: %j", (flags, worth) => {
  expect(refused.worthTrying(called, flags)).toEqual(worth);
});

test("each model refuses on its own, in each region", () => {
  expect(refused.worthTrying({ ...called, region: "s" }, ["bad"])).toEqual(["bad"]);
  expect(refused.worthTrying({ ...called, modelId: "n" }, ["bad"])).toEqual(["bad"]);
});

test("a flag that turns out to be refused alone no longer takes others with it", () => {
  const refused = new RefusedNames();
  refused.add(called, ["good", "bad"]);
  refused.add(called, ["bad"]);
  expect(refused.worthTrying(called, ["good", "bad"])).toEqual(["good"]);
});

test("names that callers invent do not fill the memory: the oldest is forgotten first", () => {
  const refused = new RefusedNames();
  for (let count = 0; count <= 100; count++) refused.add(called, [`flag-${count}`]);
  expect(refused.worthTrying(called, ["flag-0", "flag-1", "flag-100"])).toEqual(["flag-0"]);
});
