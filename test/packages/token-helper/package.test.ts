// The package is published alone: what it bundles is what the repository has tested.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { bundle } from "../../../packages/token-helper/build.ts";

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const own = read("packages/token-helper/package.json");
const root = read("package.json");

test("the token helper's package is built from the same versions of its dependencies that are tested here", () => {
  const installed: Record<string, string> = { ...root.dependencies, ...root.devDependencies };
  const versions = Object.keys(own.devDependencies).map((name) => [name, installed[name]]);
  expect(Object.fromEntries(versions)).toEqual(own.devDependencies);
});

test("installing the token helper's package installs nothing else and runs no script", () => {
  expect([own.dependencies, own.optionalDependencies, own.scripts.install, own.scripts.postinstall]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(own.files).toEqual(["dist/archway.cjs"]);
});

test("the token helper's package contains the licence of each package in its bundle", async () => {
  const file = await bundle(join(mkdtempSync(join(tmpdir(), "archway-bundle-")), "archway.cjs"));
  const text = readFileSync(file, "utf8");
  for (const name of ["oauth4webapi", "zod", "yaml", "jsonc-parser"]) {
    expect(text).toContain(`\n${name} ${own.devDependencies[name]}\n\n`);
  }
  expect(text.match(/^Copyright/gm)?.length).toBeGreaterThanOrEqual(3);
});
