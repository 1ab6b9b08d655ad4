import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import esbuild from "esbuild/lib/main.js";
import { buildSync } from "../../../local/program/remembered-esbuild.ts";

let folder: string;
let replacement: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "esbuild-"));
  replacement = join(folder, "replacement.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Options that no earlier build had. */
function optionsOfItsOwn() {
  const contents = `export { default } from "replaced"; export const build = ${JSON.stringify(randomUUID())};`;
  return { stdin: { contents, resolveDir: folder }, bundle: true, write: false, alias: { replaced: replacement } };
}

const texts = ({ outputFiles = [] }: { outputFiles?: { text: string }[] | undefined }) =>
  outputFiles.map(({ text }) => text);

test("a stored build gives the same output as esbuild", () => {
  writeFileSync(replacement, '"one"');
  const options = { ...optionsOfItsOwn(), format: "esm" } as const;
  const own = texts(esbuild.buildSync(options));
  expect(own.join()).toContain("one");
  expect([texts(buildSync(options)), texts(buildSync(options))]).toEqual([own, own]);
});

test("a replaced module with other content causes a new build", () => {
  const options = optionsOfItsOwn();
  writeFileSync(replacement, '"one"');
  buildSync(options);
  writeFileSync(replacement, '"other"');
  expect(texts(buildSync(options)).join()).toContain("other");
});
