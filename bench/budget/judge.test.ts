import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetProblems, teamProblems } from "./judge.ts";
import { budgetRuns, teamRuns } from "./parts.ts";
import type { Rule } from "./rules.ts";

/** Ten agents with large contexts, a few runs of them. */
async function problemsOf(rule: Rule): Promise<string[]> {
  const runs = await budgetRuns(rule, { budgetUsd: 50, agents: 10, contextKb: 600 }, { firstSeed: 1, runs: 4 });
  return budgetProblems({ name: rule, isJudged: true, runs });
}

test("the new rule neither refuses while money is left nor goes beyond one request", async () => {
  assert.deepEqual(await problemsOf("new"), []);
});

test("the plain check goes beyond the budget by more than one request", async () => {
  assert.match((await problemsOf("plain")).join(), /requests beyond the budget/);
});

test("the rule of before refuses while money is left", async () => {
  assert.match((await problemsOf("before")).join(), /refused with money left/);
});

test("the same seed plays the same run", async () => {
  const play = () => budgetRuns("new", { budgetUsd: 5 }, { firstSeed: 7, runs: 2 });
  assert.deepEqual(await play(), await play());
});

test("nothing played is no proof", () => {
  assert.deepEqual(budgetProblems({ name: "A", isJudged: true, runs: [] }), ["A: nothing was played"]);
});

const team = { callers: 20, inFlight: 12, maxTokens: 128_000 };

test("a team with twelve calls in flight gets all that it asks for", async () => {
  const runs = await teamRuns("new", team, { firstSeed: 1, runs: 2 });
  assert.deepEqual(teamProblems({ shape: team, rule: "new", runs }), []);
});

test("a team whose idle slices come back with the meter alone is refused with cents used, and its allowance holds all the same", async () => {
  const runs = await teamRuns("kept", team, { firstSeed: 1, runs: 2 });
  assert.match(teamProblems({ shape: team, rule: "new", runs }).join(), /refused or shortened/);
  assert.deepEqual(teamProblems({ shape: team, rule: "kept", runs }), []);
});
