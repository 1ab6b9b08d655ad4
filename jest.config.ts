import type { Config } from "jest";

const config: Config = {
  testEnvironment: "node",
  // A stack starts in two seconds on an idle machine; this is for busy ones.
  testTimeout: 60_000,
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2024" }, module: { type: "es6" }, sourceMaps: "inline" },
    ],
  },
};

export default config;
