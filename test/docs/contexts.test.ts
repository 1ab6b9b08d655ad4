import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { architectureFile, contexts, drawn } from "../../docs/contexts.ts";

const page = readFileSync(architectureFile, "utf8");

test("docs/architecture.md draws the contexts with the imports between them: npm run docs:contexts", () => {
  expect(drawn(page)).toBe(page);
});

test("contexts that import each other are both drawn, so that the graph shows the cycle", () => {
  const all = new Map(Object.entries({ access: new Set(["people"]), people: new Set(["access"]) }));
  expect(drawn("", all)).toContain("    access --> people\n    people --> access\n");
});

test("docs/architecture.md describes each context", () => {
  for (const context of contexts().keys()) expect(page).toContain(`\n| \`${context}\` | `);
});
