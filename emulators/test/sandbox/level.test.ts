import { describe, expect, test } from "@jest/globals";
import { sandboxHere } from "../../sandbox/level.ts";
import { describeLevels } from "../support/sandbox-levels.ts";

test("a stack that asks for the level none runs scripts without a sandbox", () => {
  expect(sandboxHere("none")).toEqual({ level: "none", runs: true });
});

test("scripts run by default exactly if there is a sandbox", () => {
  const { level, runs } = sandboxHere(undefined);
  expect(runs).toBe(level !== "none");
});

describeLevels(["bwrap", "seatbelt"], (level) => {
  test("the system's sandbox level is the default, and can also be requested by name", () => {
    expect(sandboxHere(undefined)).toEqual({ level, runs: true });
    expect(sandboxHere(level)).toEqual({ level, runs: true });
  });
});

describe("a level of another system", () => {
  const other = process.platform === "darwin" ? "bwrap" : "seatbelt";

  test("a sandbox level of another system is refused", () => {
    expect(() => sandboxHere(other)).toThrow(`--sandbox ${other}: does not work on this machine`);
  });
});
