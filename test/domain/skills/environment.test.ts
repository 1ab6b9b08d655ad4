import { expect, test } from "@jest/globals";
import {
  changedEnvironment,
  type Environment,
  environmentChange,
  namedVariables,
  secretsIn,
} from "../../../domain/skills/environment.ts";

const reasons = (env: object) =>
  (environmentChange.safeParse(env).error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);

test.each(["lower", "1A", "A-B", "A B", "A=B", "", "Ä"])("%j is refused as the name of a variable", (name) => {
  expect(reasons(JSON.parse(`{${JSON.stringify(name)}: "x"}`))).toEqual([
    expect.stringContaining("must be of A-Z, 0-9 and _"),
  ]);
});

test.each([["a\nb"], ["a\0b"], ["\u001b[2J"], ["\ud800"]])("%j is refused as the value of a variable", (value) => {
  expect(reasons({ A: value })).toEqual([expect.stringContaining("A: must be")]);
});

test("a variable's value has at most 4 KB", () => {
  expect([reasons({ A: "ä".repeat(2_048) }), reasons({ A: "ä".repeat(2_049) })].map(({ length }) => length)).toEqual([
    0, 1,
  ]);
});

test("a change of an environment sets, links and removes entries, and keeps the others", () => {
  const [ann, bob] = ["ann", "bob"].map((by) => ({ set_by: by, set_at: "2026-11-23T10:00:00.000Z" }));
  const before = {
    ...{ A: { value: "1", ...ann }, B: { value: "2", ...ann }, C: { secret: "S", ...ann } },
    ...{ E: { value: "5", ...ann }, F: { value: "6", ...bob } },
  } as Environment;
  const change = { A: { secret: "T" }, B: null, D: "4", E: "5", F: "6" };
  const after = changedEnvironment(before, change, { by: "ann", at: "2026-11-24T10:00:00.000Z" });
  const now = { set_by: "ann", set_at: "2026-11-24T10:00:00.000Z" };
  expect(after).toEqual({
    ...{ A: { secret: "T", ...now }, C: { secret: "S", ...ann }, D: { value: "4", ...now } },
    // What she sets as she had set it stays as it was; what somebody else had set so is hers now.
    ...{ E: { value: "5", ...ann }, F: { value: "6", ...now } },
  });
  expect(secretsIn(after)).toEqual(["S", "T"]);
  expect(namedVariables(after)).toEqual(["A of T", "C of S", "D", "E", "F"]);
});
