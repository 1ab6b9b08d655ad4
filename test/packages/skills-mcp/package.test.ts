// The package is published alone: what it bundles is what the repository has tested.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { bundle } from "../../../packages/skills-mcp/build.ts";

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const own = read("packages/skills-mcp/package.json");
const root = read("package.json");

test("the skills package is built from the same versions of its dependencies that are tested here", () => {
  const installed: Record<string, string> = { ...root.dependencies, ...root.devDependencies };
  const versions = Object.keys(own.devDependencies).map((name) => [name, installed[name]]);
  expect(Object.fromEntries(versions)).toEqual(own.devDependencies);
});

test("installing the skills package installs nothing else and runs no script", () => {
  expect([own.dependencies, own.optionalDependencies, own.scripts.install, own.scripts.postinstall]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(own.files).toEqual(["dist/archway-skills.cjs"]);
});

test("the registry's description matches the skills package", () => {
  const server = read("packages/skills-mcp/server.json");
  expect([server.name, server.version, server.packages[0].identifier, server.packages[0].version]).toEqual([
    own.mcpName,
    own.version,
    own.name,
    own.version,
  ]);
  expect(server.description.length).toBeLessThanOrEqual(100);
});

test("the skills package contains the licence of each package in its bundle", async () => {
  const file = await bundle(join(mkdtempSync(join(tmpdir(), "archway-bundle-")), "archway-skills.cjs"));
  const text = readFileSync(file, "utf8");
  for (const name of ["@modelcontextprotocol/server", "diff", "oauth4webapi", "zod", "yaml", "jsonc-parser"]) {
    expect(text).toContain(`\n${name} ${own.devDependencies[name]}\n\n`);
  }
});
