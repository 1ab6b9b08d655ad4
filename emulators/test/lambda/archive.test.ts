import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { unpack } from "../../lambda/archive.ts";

let bundleFolder: string;
beforeEach(() => {
  bundleFolder = mkdtempSync(join(tmpdir(), "archway-archive-"));
});
afterEach(() => rmSync(bundleFolder, { recursive: true, force: true }));

test("an archive is unpacked into a folder with the same paths", () => {
  const folder = unpack({ "index.mjs": "one", "chunks/two.mjs": "two" }, bundleFolder);
  const texts = ["index.mjs", "chunks/two.mjs"].map((path) => readFileSync(join(folder, path), "utf8"));
  expect(texts).toEqual(["one", "two"]);
});

test("equal archives share a folder, and a half-written folder is never used", () => {
  const one = unpack({ "index.mjs": "one", "two.mjs": "two" }, bundleFolder);
  expect(unpack({ "two.mjs": "two", "index.mjs": "one" }, bundleFolder)).toBe(one);
  const others = [{ "index.mjs": "one" }, { "index.mjs": "one", "two.mjs": "three" }];
  const folders = new Set([one, ...others.map((archive) => unpack(archive, bundleFolder))]);
  expect(folders.size).toBe(3);
  expect(readdirSync(bundleFolder)).toHaveLength(3);
});
