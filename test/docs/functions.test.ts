import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, test } from "@jest/globals";

test("docs/architecture.md names each function in a table: by its host, or by how it is started", () => {
  const rows = readFileSync("docs/architecture.md", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .join("\n");
  const functions = globSync("handlers/*/lambda.ts").map((file) => basename(dirname(file)));
  expect(functions.filter((name) => !rows.includes(`\`${name}\``))).toEqual([]);
  expect(functions).toContain("control");
});
