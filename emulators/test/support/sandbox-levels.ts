// The levels of the sandbox that work on the machine of the tests. What another level promises is named as skipped.
import { describe } from "@jest/globals";
import { type Level, levels } from "../../sandbox/confinement.ts";
import { sandboxHere } from "../../sandbox/level.ts";

function works(level: Level): boolean {
  try {
    return sandboxHere(level).runs;
  } catch {
    return false;
  }
}

const here = new Set(levels.filter(works));

/** Runs a suite for each of these levels that is here. */
export function describeLevels(wanted: readonly Level[], suite: (level: Level) => void): void {
  for (const level of wanted) {
    if (here.has(level)) describe(`level ${level}`, () => suite(level));
    else describe.skip(`level ${level}, which this machine does not have`, () => suite(level));
  }
}
