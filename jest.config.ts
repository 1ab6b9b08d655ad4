import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "jest";

/** The emulators have their tests beside them. */
const suites = ["test/**/*.test.ts", "emulators/test/**/*.test.ts"];
const isLong = process.env.ARCHWAY_LONG !== undefined;

/** The suites that can play any number of cases (test/support/sizes.ts): `npm run test:long` runs no others. */
function longSuites(): string[] {
  return globSync(suites).filter((file) => [file, ...partsOf(file)].some(hasSizes));
}

/** The files of a suite that is in several. */
function partsOf(file: string): string[] {
  const parts = readFileSync(file, "utf8").matchAll(/"(\.[\w./-]+\.suite\.ts)"/g);
  return [...parts].map(([, path = ""]) => join(dirname(file), path));
}

function hasSizes(file: string): boolean {
  return readFileSync(file, "utf8").includes('/sizes.ts"');
}

const config: Config = {
  // Tests run in plain Node threads: a module is loaded once for all files of a worker, and Node strips the types. Jest's own
  // runner gives each file a world of its own, and took half as long again (docs/decisions/0087-what-the-tests-cost.md).
  runner: "jest-light-runner",
  transform: {},
  // The smallest machine that this has to pass on has two cores; whole stacks also wait, and a third worker fills that.
  maxWorkers: 3,
  globalSetup: "<rootDir>/test/support/runner/warm-program.ts",
  globalTeardown: "<rootDir>/test/support/runner/run-folder.ts",
  setupFiles: ["<rootDir>/test/support/runner/replaced-modules.ts"],
  reporters: ["default", "<rootDir>/test/support/runner/hung-files.ts"],
  testSequencer: "<rootDir>/test/support/runner/test-sequencer.ts",
  testMatch: (isLong ? longSuites() : suites).map((file) => `<rootDir>/${file}`),
};

export default config;
