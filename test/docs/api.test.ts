import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { reference, referenceFile } from "../../docs/api.ts";
import { routes } from "../../handlers/control/nouns.ts";

const written = readFileSync(referenceFile, "utf8");

test("docs/api.md matches the routes: npm run docs:api", () => {
  expect(written).toBe(reference());
});

test("each route of the control plane has its row in docs/api.md", () => {
  for (const { method, path } of Object.values(routes).flatMap((noun) => Object.values(noun))) {
    expect(written).toContain(`\n| \`${method} ${path}\` |`);
  }
});
