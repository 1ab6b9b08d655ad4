// A worker loads a module once: the tests of a suite that two test files import would run in the first of them alone.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";

test("each suite is part of exactly one test file", () => {
  const files = globSync("{test,emulators/test}/**/*.{test,suite}.ts", { exclude: ["**/node_modules/**"] });
  const imports = files.flatMap((file) => {
    const found = readFileSync(file, "utf8").matchAll(/"(\.[\w./-]+\.suite\.ts)"/g);
    return [...found].map(([, path = ""]) => join(dirname(file), path));
  });
  expect(imports.sort()).toEqual(files.filter((file) => file.endsWith(".suite.ts")).sort());
});
