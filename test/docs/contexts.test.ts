import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { architectureFile, contexts, drawn } from "../../docs/contexts.ts";

const page = readFileSync(architectureFile, "utf8");

test("docs/architecture.md draws the contexts as the imports are: npm run docs:contexts", () => {
  expect(drawn(page)).toBe(page);
});

test("docs/architecture.md says of each context what it is", () => {
  for (const context of contexts().keys()) expect(page).toContain(`\n| \`${context}\` | `);
});
