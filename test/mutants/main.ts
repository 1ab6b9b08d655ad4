// `npm run mutants`: Stryker changes the code of a context in small ways, and plays the context's tests on each. A mutant that no test
// finds is killed by a new test, or explained in explained.yaml; one without either fails the command.
// `-- budget` plays one context, `-- domain/budget/plan.ts` one file; `--judge` only judges the results that are there. Results are kept in
// .local/mutants: the next run plays only mutants whose code or tests have changed, and one that was interrupted continues.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { matchesGlob } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { stringify } from "yaml";
import removeRunFolder, { makeRunFolder } from "../support/runner/run-folder.ts";
import { compiler } from "./compiler.ts";
import { contexts } from "./contexts.ts";
import { judge, readExplanations } from "./survivors.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    judge: { type: "boolean", default: false },
    /** Plays all, whatever is known: changes of other files than the mutant's and its tests' are not seen. */
    force: { type: "boolean", default: false },
    concurrency: { type: "string", default: "2" },
  },
});

const folder = ".local/mutants";
const sandbox = `${folder}/sandbox`;
makeRunFolder();
try {
  for (const [name, { mutate, tests }] of Object.entries(contexts)) {
    const wanted = positionals.filter((file) => mutate.some((pattern) => matchesGlob(file, pattern)));
    if (positionals.length > 0 && !positionals.includes(name) && wanted.length === 0) continue;
    const files = wanted.length > 0 ? wanted : mutate;
    const testFiles = tests.flatMap((pattern) => globSync(pattern).sort());
    if (!values.judge) await play(name, files, testFiles);
    report(name, files);
  }
} finally {
  await removeRunFolder();
}

async function play(name: string, mutate: string[], testFiles: string[]): Promise<void> {
  // An interrupted run leaves its copy of the project.
  rmSync(sandbox, { recursive: true, force: true });
  const stryker = new Stryker({
    ...{ mutate, concurrency: Number(values.concurrency), coverageAnalysis: "perTest" },
    ...{
      testRunner: "light",
      plugins: ["./test/mutants/stryker/plugins.ts"],
      ignorers: ["described-texts"],
      light: { testFiles },
    },
    ...{ incremental: true, incrementalFile: resultsOf(name), force: values.force },
    ...{ tempDirName: sandbox, ignorePatterns: ["/.local", "/docs", "/console", "/bench"] },
    // The runner imports a test file again for each mutant, and Node frees none.
    maxTestRunnerReuse: 200,
    // A test that waits for what the mutant has taken away does not end.
    ...{ timeoutMS: 10_000, timeoutFactor: 1.5 },
    ...{ reporters: ["progress-append-only", "html"], htmlReporter: { fileName: `${folder}/${name}.html` } },
    ...{ allowEmpty: true, warnings: false },
  });
  await stryker.runMutationTest();
}

function resultsOf(name: string): string {
  return `${folder}/${name}.json`;
}

function report(name: string, files: string[]): void {
  if (!existsSync(resultsOf(name))) {
    console.log(`${name}: no results yet`);
    return;
  }
  const results = JSON.parse(readFileSync(resultsOf(name), "utf8"));
  const isMeant = (file: string) => files.some((pattern) => matchesGlob(file, pattern));
  const compiles = compiler(files.flatMap((pattern) => globSync(pattern)));
  const judgement = judge(results, { explanations: readExplanations(), isMeant, compiles });
  const { played, uncompiled, explained, unexplained, needless } = judgement;
  console.log(
    `${name}: ${played} mutants, of which no test finds ${uncompiled + explained + unexplained.length}: ${uncompiled} do not compile, ${explained} are explained, ${unexplained.length} are not`,
  );
  for (const { place, line, becomes } of unexplained)
    console.log(`${place}\n${stringify([{ line, becomes, why: "" }], { lineWidth: 0 })}`);
  for (const each of needless) console.log(`No mutant survives that explained.yaml explains: ${each}`);
  if (unexplained.length + needless.length > 0) process.exitCode = 1;
}
