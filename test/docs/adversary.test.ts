import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { adversaryFile, adversaryView } from "../../docs/adversary.ts";

test("docs/adversary.md matches the routes: npm run docs:adversary", () => {
  expect(readFileSync(adversaryFile, "utf8")).toBe(adversaryView());
});
