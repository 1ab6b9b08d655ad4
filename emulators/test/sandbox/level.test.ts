import { describe, expect, test } from "@jest/globals";
import { sandboxHere } from "../../sandbox/level.ts";
import { describeLevels } from "../support/sandbox-levels.ts";

test("who asks for no sandbox by name gets none, and scripts run", () => {
  expect(sandboxHere("none")).toEqual({ level: "none", runs: true });
});

test("scripts run unasked exactly where there is a sandbox", () => {
  const { level, runs } = sandboxHere(undefined);
  expect(runs).toBe(level !== "none");
});

describeLevels(["bwrap", "seatbelt"], (level) => {
  test("is taken unasked, and when it is asked for", () => {
    expect(sandboxHere(undefined)).toEqual({ level, runs: true });
    expect(sandboxHere(level)).toEqual({ level, runs: true });
  });
});

describe("a level of another system", () => {
  const other = process.platform === "darwin" ? "bwrap" : "seatbelt";

  test("cannot be had", () => {
    expect(() => sandboxHere(other)).toThrow(`--sandbox ${other}: does not work on this machine`);
  });
});
