import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { architectureFile, contexts, drawn } from "../../docs/contexts.ts";

const page = readFileSync(architectureFile, "utf8");

test("docs/architecture.md draws the contexts as the imports are: npm run docs:contexts", () => {
  expect(drawn(page)).toBe(page);
});

test("contexts in a circle are drawn, too, so that its graph shows the circle", () => {
  const all = new Map(Object.entries({ access: new Set(["people"]), people: new Set(["access"]) }));
  expect(drawn("", all)).toContain("    access --> people\n    people --> access\n");
});

test("docs/architecture.md says of each context what it is", () => {
  for (const context of contexts().keys()) expect(page).toContain(`\n| \`${context}\` | `);
});
