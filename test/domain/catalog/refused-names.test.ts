import { describe, expect, test } from "@jest/globals";
import { RefusedFields, RefusedFlags } from "../../../domain/catalog/refused-names.ts";

const called = { modelId: "m", region: "r" };
const elsewhere = [
  { ...called, region: "s" },
  { ...called, modelId: "n" },
];

describe("refused flags", () => {
  const refused = new RefusedFlags();
  refused.add(called, ["bad"]);
  refused.add(called, ["good", "worse"]);

  test.each([
    [["bad"], true],
    [["bad", "good"], true],
    [["good", "worse", "other"], true],
    [["good"], false],
    [["worse"], false],
    [[], false],
  ])("a call with the flags %j is refused: %j", (flags, is) => expect(refused.isRefused(called, flags)).toBe(is));

  test("refused flags are those of one model in one region", () => {
    expect(elsewhere.map((place) => refused.isRefused(place, ["bad"]))).toEqual([false, false]);
  });

  test("flags that callers invent do not fill the memory: the oldest is forgotten first", () => {
    const refused = new RefusedFlags();
    for (let count = 0; count <= 32; count++) refused.add(called, [`flag-${count}`]);
    expect([0, 1, 32].map((count) => refused.isRefused(called, [`flag-${count}`]))).toEqual([false, true, true]);
  });
});

describe("refused fields", () => {
  const refused = new RefusedFields();
  refused.add(called, "tools[]:.x", ["a", "b"]);

  test.each([
    [[], ["tools[]:.x"]],
    [["a"], ["tools[]:.x"]],
    [["b", "a"], ["tools[]:.x"]],
    [["c"], []],
    [["a", "b", "c"], []],
  ])("a field that was refused beside the flags a and b is refused beside %j: %j", (flags, fields) =>
    expect(refused.of(called, flags)).toEqual(fields),
  );

  test("refused fields are those of one model in one region", () => {
    expect(elsewhere.map((place) => refused.of(place, []))).toEqual([[], []]);
  });

  test("a field that is refused beside more flags is kept once", () => {
    const refused = new RefusedFields();
    for (const flags of [[], ["a"], ["a", "b"], ["a"]]) refused.add(called, "x", flags);
    expect([refused.of(called, ["a", "b"]), refused.of(called, [])]).toEqual([["x"], ["x"]]);
  });

  test("fields that callers invent do not fill the memory: the oldest is forgotten first", () => {
    const refused = new RefusedFields();
    for (let count = 0; count <= 32; count++) refused.add(called, `x${count}`, []);
    expect([refused.of(called, []).length, refused.of(called, [])[0]]).toEqual([32, "x1"]);
  });
});
