import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { type Explanations, judge, oneLine, type Report, readExplanations } from "./survivors.ts";

const file = "domain/budget/sum.ts";
const line = "return one + other;";
const becomes = "return one - other;";

test("a mutant that no test finds needs an explanation", () => {
  const judgement = judged("Survived", {});
  expect(judgement).toEqual({
    played: 1,
    uncompiled: 0,
    explained: 0,
    unexplained: [{ file, place: `${file}:2`, line, becomes }],
    needless: [],
  });
});

test("code that no test runs needs an explanation", () => {
  expect(judged("NoCoverage", {}).unexplained).toHaveLength(1);
});

test.each([becomes, ["return 0;", becomes], undefined])(
  "an explanation is of a line and what it becomes: %j",
  (one) => {
    const explanation = { line, ...(one && { becomes: one }), why: "There is nothing to add." };
    const judgement = judged("Survived", { [file]: [explanation] });
    expect(judgement).toEqual({ played: 1, uncompiled: 0, explained: 1, unexplained: [], needless: [] });
  },
);

test("an explanation does not hold for another change of its line", () => {
  const explanation = { line, becomes: "return one * other;", why: "One is 1." };
  expect(judged("Survived", { [file]: [explanation] }).unexplained).toHaveLength(1);
});

test.each(["Killed", "Timeout"])("an explanation of a mutant that a test finds is needless: %s", (status) => {
  const explanations = { [file]: [{ line, becomes, why: "There is nothing to add." }] };
  expect(judged(status, explanations).needless).toEqual([`${file}: ${line}`]);
});

test("files that are not part of the run are not judged", () => {
  expect(judged("Survived", {}, { isMeant: false })).toEqual({
    played: 0,
    uncompiled: 0,
    explained: 0,
    unexplained: [],
    needless: [],
  });
});

test.each(Object.entries(readExplanations()))(
  "each explanation of %s is of a line that it has, and says why",
  (path, explanations) => {
    const lines = readFileSync(path, "utf8").split("\n").map(oneLine);
    for (const explanation of explanations) {
      expect(lines).toContain(explanation.line);
      expect(explanation.why).toMatch(/\w.*\.$/s);
    }
  },
);

test("a mutant that does not compile needs no test", () => {
  expect(judged("Survived", {}, { compiles: false })).toMatchObject({ uncompiled: 1, unexplained: [] });
});

test("a text for people may be worded in any way", () => {
  const source = 'const words = "no call fits";\nconst code = "full";\n';
  const mutants = [
    { start: { line: 1, column: 15 }, end: { line: 1, column: 29 } },
    { start: { line: 2, column: 14 }, end: { line: 2, column: 20 } },
  ].map((location) => ({ status: "Survived", mutatorName: "StringLiteral", replacement: '""', location }));
  const options = { explanations: {}, isMeant: () => true, compiles: () => true };
  const { unexplained } = judge({ files: { [file]: { source, mutants } } }, options);
  expect(unexplained.map(({ becomes }) => becomes)).toEqual(['const code = "";']);
});

function judged(status: string, explanations: Explanations, { isMeant = true, compiles = true } = {}) {
  return judge(reportOf(status), { explanations, isMeant: () => isMeant, compiles: () => compiles });
}

function reportOf(status: string): Report {
  const source = "function sum(one, other) {\n  return one + other;\n}\n";
  const location = { start: { line: 2, column: 14 }, end: { line: 2, column: 15 } };
  return {
    files: { [file]: { source, mutants: [{ status, mutatorName: "ArithmeticOperator", replacement: "-", location }] } },
  };
}
