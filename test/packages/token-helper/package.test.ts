// The package is published alone: what it bundles is what the repository has tested.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const own = read("packages/token-helper/package.json");
const root = read("package.json");

test("the package is built from the same versions as are tested here", () => {
  const installed: Record<string, string> = { ...root.dependencies, ...root.devDependencies };
  const versions = Object.keys(own.devDependencies).map((name) => [name, installed[name]]);
  expect(Object.fromEntries(versions)).toEqual(own.devDependencies);
});

test("whoever installs it installs nothing else, and runs no script", () => {
  expect([own.dependencies, own.optionalDependencies, own.scripts.install, own.scripts.postinstall]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(own.files).toEqual(["dist/archway.cjs"]);
});
