import { expect, test } from "@jest/globals";
import {
  changedEnvironment,
  environmentChange,
  secretsIn,
  shownEnvironment,
} from "../../../domain/skills/environment.ts";

const reasons = (env: object) =>
  (environmentChange.safeParse(env).error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);

test.each([
  "PATH",
  "HOME",
  "IFS",
  "ENV",
  "BASH_ENV",
  "NODE_OPTIONS",
  "AWS_X",
  "ARCHWAY_Y",
  "LD_PRELOAD",
  "DYLD_Z",
  "PYTHONPATH",
])("%s is reserved", (name) => {
  expect(reasons({ [name]: "x" })).toEqual([expect.stringContaining(`${name}: must be none of PATH`)]);
});

test.each(["lower", "1A", "A-B", "A B", "A=B", "", "Ä"])("%j is no name", (name) => {
  expect(reasons(JSON.parse(`{${JSON.stringify(name)}: "x"}`))).toEqual([
    expect.stringContaining("must be of A-Z, 0-9 and _"),
  ]);
});

test.each([["a\nb"], ["a\0b"], ["\u001b[2J"], ["\ud800"]])("%j is no value", (value) => {
  expect(reasons({ A: value })).toEqual([expect.stringContaining("A: must be")]);
});

test("a value has 4 KB at the most", () => {
  expect([reasons({ A: "ä".repeat(2_048) }), reasons({ A: "ä".repeat(2_049) })].map(({ length }) => length)).toEqual([
    0, 1,
  ]);
});

test("a change sets, refers and removes, and leaves the rest", () => {
  const before = { A: { value: "1" }, B: { value: "2" }, C: { secret: "S" } };
  const after = changedEnvironment(before, { A: { secret: "T" }, B: null, D: "4" });
  expect(after).toEqual({ A: { secret: "T" }, C: { secret: "S" }, D: { value: "4" } });
  expect(secretsIn(after)).toEqual(["S", "T"]);
  expect(shownEnvironment(after)).toEqual([{ name: "A", secret: "T" }, { name: "C", secret: "S" }, { name: "D" }]);
});
