import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "jest";

const isLong = process.env.ARCHWAY_LONG !== undefined;

/** The suites that can play any number of cases (test/support/sizes.ts): `npm run test:long` runs no others. */
function longSuites(): string[] {
  return globSync("test/**/*.test.ts").filter((file) => [file, ...partsOf(file)].some(hasSizes));
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
  testEnvironment: "node",
  // The smallest machine that this has to pass on has two cores; whole stacks also wait, and a third worker fills that.
  maxWorkers: 3,
  globalSetup: "<rootDir>/test/support/program/warm-program.ts",
  globalTeardown: "<rootDir>/test/support/program/run-folder.ts",
  moduleNameMapper: {
    "^esbuild$": "<rootDir>/local/program/remembered-esbuild.ts",
    // Pulumi loads them at once, and uses them for functions that are written into the program alone.
    "^@npmcli/arborist$|/typescript-shim$": "<rootDir>/test/support/program/nothing.json",
  },
  testSequencer: "<rootDir>/test/support/test-sequencer.ts",
  // A worker keeps what the modules of its tests keep; collecting that takes longer with each file.
  workerIdleMemoryLimit: "1500MB",
  // No test is judged by its speed: this only ends what hangs. Some long suites play thousands of schedules in one test.
  testTimeout: isLong ? 1_800_000 : 600_000,
  extensionsToTreatAsEsm: [".ts"],
  testMatch: isLong ? longSuites().map((file) => `<rootDir>/${file}`) : ["<rootDir>/test/**/*.test.ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2024" }, module: { type: "es6" }, sourceMaps: "inline" },
    ],
  },
};

export default config;
