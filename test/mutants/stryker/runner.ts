// A test runner for Stryker: plays test files in Stryker's own process by the project's runner (jest-light-runner), so that a mutant
// costs only its tests and no start of Jest.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Circus } from "@jest/types";
import {
  INSTRUMENTER_CONSTANTS,
  type InstrumenterContext,
  type MutantCoverage,
  type StrykerOptions,
} from "@stryker-mutator/api/core";
import { commonTokens, tokens } from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";

const root = join(import.meta.dirname, "../../..");
const lightRunner = join(root, "node_modules/jest-light-runner/src/worker-runner.js");
const { addEventHandler } = createRequire(lightRunner)("jest-circus") as {
  addEventHandler(handler: (event: Circus.Event, state: Circus.State) => void): void;
};

/** The costs of each test without a mutant, from the dry run: an effort that exceeds them by far is endless. */
const costsFile = "costs.json";
type Cost = { steps: number; ms: number };
const mostOf = ({ steps, ms }: Cost): Cost => ({ steps: 100_000 + 20 * steps, ms: 10_000 + 5 * ms });
/** Tests may replace the timers. */
const { setTimeout, clearTimeout } = globalThis;

/** The steps of the present test: instrumented code asks at the place of each mutant whether that mutant is active. */
let steps = 0;
let mostSteps = Number.POSITIVE_INFINITY;
let activeMutant: string | undefined;

/** Instrumented code reads the active mutant here, and writes the coverage. */
const context: { [field in keyof InstrumenterContext]: InstrumenterContext[field] | undefined } = {
  get activeMutant() {
    steps += 1;
    if (steps > mostSteps) throw new Error("The mutant makes the test endless");
    return activeMutant;
  },
  set activeMutant(id) {
    activeMutant = id;
  },
};
Object.assign(globalThis, { [INSTRUMENTER_CONSTANTS.NAMESPACE]: context });

export class LightTestRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #files: string[];
  #play: (file: string) => Promise<{ testResults: PlayedTest[] }> = () => Promise.reject(new Error("init has not run"));
  #file = "";
  #wanted: ReadonlySet<string> | undefined;
  #hasFailed = false;
  #isEndless = false;
  #isLate = false;
  #costs: Record<string, Cost> | undefined;

  constructor(options: StrykerOptions) {
    this.#files = (options.light as { testFiles: string[] }).testFiles.map((file) => resolve(file));
  }

  /** Node keeps imported modules: for a mutant of code that runs on import, Stryker starts another process. */
  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: false };
  }

  async init(): Promise<void> {
    const { default: play, setWorkerData } = await import(pathToFileURL(lightRunner).href);
    setWorkerData({
      globalConfig: { testNamePattern: null, updateSnapshot: "none", expand: false },
      projectConfig: {
        rootDir: process.cwd(),
        setupFiles: [resolve("test/support/runner/replaced-modules.ts")],
        setupFilesAfterEnv: [],
        transform: [],
        transformIgnorePatterns: [],
        snapshotSerializers: [],
        snapshotFormat: {},
        slowTestThreshold: Number.POSITIVE_INFINITY,
      },
      runtime: "main_thread",
    });
    this.#play = play;
    addEventHandler((event, state) => {
      if (event.name !== "add_test") return;
      const test = state.currentDescribeBlock.tests.at(-1);
      if (test) this.#watch(test);
    });
  }

  async dryRun(): Promise<DryRunResult> {
    this.#costs = {};
    const tests = await this.#run(this.#files);
    writeFileSync(costsFile, JSON.stringify(this.#costs));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: context.mutantCoverage as MutantCoverage };
  }

  /** Plays the test file of the mutated file first, then the others, the fastest first, and ends with the first failure. */
  async mutantRun({ activeMutant, hitLimit, sandboxFileName, testFilter }: MutantRunOptions): Promise<MutantRunResult> {
    // The test still runs: Stryker starts another process and sends the mutant there.
    if (this.#isLate) process.exit(1);
    this.#costs ??= JSON.parse(readFileSync(costsFile, "utf8"));
    context.activeMutant = activeMutant.id;
    context.hitCount = hitLimit === undefined ? undefined : 0;
    context.hitLimit = hitLimit;
    const own = join("test", relative(process.cwd(), sandboxFileName).replace(/\.ts$/, ".test.ts"));
    const isWanted = (file: string) => !testFilter || testFilter.some((id) => id.startsWith(`${nameOf(file)}:`));
    const wanted = this.#files.filter(isWanted);
    const costOf = (file: string) => (nameOf(file) === own ? -1 : this.#msOf(file, testFilter));
    const files = wanted.sort((one, other) => costOf(one) - costOf(other));
    const tests = await this.#run(files, testFilter && new Set(testFilter));
    const timeout = this.#isEndless
      ? { status: DryRunStatus.Timeout as const }
      : determineHitLimitReached(context.hitCount, context.hitLimit);
    return toMutantRunResult(timeout ?? { status: DryRunStatus.Complete, tests }, false);
  }

  /** The time of the file's wanted tests in the dry run. */
  #msOf(file: string, testFilter = Object.keys(this.#costs ?? {})): number {
    const own = testFilter.filter((id) => id.startsWith(`${nameOf(file)}:`));
    return own.reduce((sum, id) => sum + (this.#costs?.[id]?.ms ?? 0), 0);
  }

  async #run(files: string[], wanted?: ReadonlySet<string>): Promise<TestResult[]> {
    const played: TestResult[] = [];
    this.#wanted = wanted;
    this.#hasFailed = false;
    this.#isEndless = false;
    for (const file of files) {
      this.#file = nameOf(file);
      context.currentTestId = undefined;
      played.push(...(await this.#runFile(file)));
      if (this.#hasFailed) break;
    }
    return played;
  }

  async #runFile(file: string): Promise<TestResult[]> {
    try {
      const { testResults } = await this.#play(file);
      return testResults.map((test) => this.#toResult(file, test));
    } catch (error) {
      // The file could not be imported.
      this.#hasFailed = true;
      const id = `${this.#file}:import`;
      return [
        {
          id,
          name: id,
          timeSpentMs: 0,
          status: TestStatus.Failed,
          failureMessage: error instanceof Error ? (error.stack ?? "") : String(error),
          fileName: file,
        },
      ];
    }
  }

  /** The runner reads `mode` when the test's turn comes, before its hooks. */
  #watch(test: Circus.TestEntry): void {
    const { fn } = test;
    let { mode } = test;
    const id = idOf(this.#file, titlesOf(test));
    const begin = () => {
      if (this.#hasFailed || (this.#wanted && !this.#wanted.has(id))) return "skip";
      context.currentTestId = id;
      return mode;
    };
    Object.defineProperty(test, "mode", {
      get: begin,
      set: (changed) => {
        mode = changed;
      },
    });
    if (fn.length > 0) return;
    test.fn = async () => {
      try {
        await this.#bounded(id, fn as () => unknown);
      } catch (error) {
        this.#hasFailed = true;
        throw error;
      }
    };
  }

  /** Plays a test, but no longer than an endless one has to be waited for. */
  async #bounded(id: string, fn: () => unknown): Promise<void> {
    const began = performance.now();
    const cost = activeMutant === undefined ? undefined : this.#costs?.[id];
    const most = cost && mostOf(cost);
    steps = 0;
    mostSteps = most?.steps ?? Number.POSITIVE_INFINITY;
    let timer: NodeJS.Timeout | undefined;
    const end = new Promise<"late">((resolve) => {
      if (most) timer = setTimeout(() => resolve("late"), most.ms);
    });
    try {
      const outcome = await Promise.race([(async () => fn())(), end]);
      this.#isLate = outcome === "late";
    } finally {
      clearTimeout(timer);
      this.#isEndless ||= this.#isLate || steps > mostSteps;
      this.#hasFailed ||= this.#isEndless;
      mostSteps = Number.POSITIVE_INFINITY;
      if (activeMutant === undefined && this.#costs) this.#costs[id] = { steps, ms: performance.now() - began };
    }
  }

  #toResult(fileName: string, { ancestorTitles, title, duration, status, failureMessages }: PlayedTest): TestResult {
    const id = idOf(this.#file, [...ancestorTitles, title]);
    const test = { id, name: id, timeSpentMs: duration ?? 0, fileName };
    if (status === "passed") return { ...test, status: TestStatus.Success };
    if (status === "pending") return { ...test, status: TestStatus.Skipped };
    this.#hasFailed = true;
    return { ...test, status: TestStatus.Failed, failureMessage: failureMessages.join("\n") };
  }
}

/** A test's result as jest-light-runner gives it. */
interface PlayedTest {
  ancestorTitles: string[];
  title: string;
  duration?: number;
  status: "passed" | "pending" | "failed";
  failureMessages: string[];
}

function nameOf(file: string): string {
  return relative(process.cwd(), file);
}

function idOf(file: string, titles: string[]): string {
  return `${file}: ${titles.join(" > ")}`;
}

function titlesOf(test: Circus.TestEntry): string[] {
  const titles = [test.name];
  for (let block: Circus.DescribeBlock | undefined = test.parent; block?.parent; block = block.parent) {
    titles.unshift(block.name);
  }
  return titles;
}
