// What `npm run test:long` plays: the suites that can play any number of cases, with many (test/support/sizes.ts).
import { globSync, readFileSync } from "node:fs";
import type { Config } from "jest";
import config from "./jest.config.ts";

// Workers inherit the environment.
process.env.ARCHWAY_LONG = "1";

const suites = globSync("test/**/*.test.ts").filter((file) => readFileSync(file, "utf8").includes('/sizes.ts"'));
const long: Config = {
  ...config,
  testMatch: suites.map((file) => `<rootDir>/${file}`),
  // The largest plays thousands of schedules.
  testTimeout: 1_800_000,
};

export default long;
