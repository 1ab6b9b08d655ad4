import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { EvaluateAnswer } from "../../../local/program/evaluate.ts";
import { EvaluationMemory } from "../../../local/program/evaluation-memory.ts";

const request = { program: "index.ts", project: "archway", stack: "dev", region: "eu-central-1", config: { one: "1" } };
let root: string;
let folder: string;
let evaluations: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memory-"));
  folder = join(root, "node_modules", "programs");
  evaluations = 0;
  mkdirSync(join(root, "domain", "access"), { recursive: true });
  writeFileSync(join(root, "domain", "access", "grant.ts"), "one");
});
afterEach(() => rmSync(root, { recursive: true }));

async function evaluate(): Promise<EvaluateAnswer> {
  evaluations += 1;
  return { ok: true, resources: [], exports: { evaluation: evaluations, left: undefined } };
}

/** The number of the evaluation that is answered. */
async function recall(changes: object = {}): Promise<unknown> {
  const answer = await new EvaluationMemory(root, folder).recall({ ...request, ...changes }, evaluate);
  return answer.ok ? answer.exports.evaluation : undefined;
}

test("a program with the same sources and configuration is evaluated once, with the same result", async () => {
  const memory = new EvaluationMemory(root, folder);
  const first = await memory.recall(request, evaluate);
  expect(await memory.recall(request, evaluate)).toEqual(first);
  expect(evaluations).toBe(1);
});

test.each<[string, () => unknown]>([
  ["a source that changed", () => writeFileSync(join(root, "domain", "access", "grant.ts"), "two")],
  ["a source that is new", () => writeFileSync(join(root, "index.ts"), "")],
  ["a source that is gone", () => rmSync(join(root, "domain", "access", "grant.ts"))],
  ["other locked packages", () => writeFileSync(join(root, "package-lock.json"), "{}")],
])("%s is evaluated anew", async (_name, change) => {
  expect(await recall()).toBe(1);
  change();
  expect(await recall()).toBe(2);
  expect(await recall()).toBe(2);
});

test("a program with another configuration, or another text of its catalog, is evaluated again", async () => {
  expect(await recall()).toBe(1);
  writeFileSync(join(root, "theirs.json"), "[]");
  const config = { "archway:catalog": "theirs.json" };
  expect([await recall({ config }), await recall({ config })]).toEqual([2, 2]);
  writeFileSync(join(root, "theirs.json"), "[1]");
  expect([await recall({ config }), await recall()]).toEqual([3, 1]);
});

test("an evaluation with problems is not stored", async () => {
  const memory = new EvaluationMemory(root, folder);
  const problems: EvaluateAnswer = { ok: false, problems: ["archway:domain: is missing"] };
  expect(await memory.recall(request, async () => problems)).toEqual(problems);
  expect(await recall()).toBe(1);
});

test("a program that changed during its evaluation is not stored", async () => {
  await new EvaluationMemory(root, folder).recall(request, async () => {
    writeFileSync(join(root, "domain", "access", "grant.ts"), "two");
    return evaluate();
  });
  expect([await recall(), await recall()]).toEqual([2, 2]);
});

test("a stored evaluation that cannot be read is repeated, and only the owner may read the files", async () => {
  await recall();
  const [name = ""] = readdirSync(folder);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, name), "half");
  expect([await recall(), await recall()]).toEqual([2, 2]);
});

test("the store of evaluations keeps the last forty", async () => {
  for (let one = 0; one < 41; one++) await recall({ config: { one } });
  expect(readdirSync(folder)).toHaveLength(40);
  expect(await recall({ config: { one: 40 } })).toBe(41);
});

test("the program is evaluated each time if its evaluations cannot be stored", async () => {
  writeFileSync(join(root, "node_modules"), "in the way");
  expect([await recall(), await recall()]).toEqual([1, 2]);
});
