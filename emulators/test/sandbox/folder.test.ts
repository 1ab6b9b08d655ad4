import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { folderSize, sandboxFolder } from "../../sandbox/folder.ts";

let folder: string;

beforeEach(() => {
  folder = sandboxFolder();
});

afterEach(() => rmSync(folder, { recursive: true }));

test("a folder's size includes files of its subfolders", () => {
  const before = folderSize(folder);
  mkdirSync(join(folder, "work", "deep"));
  writeFileSync(join(folder, "work", "deep", "file"), Buffer.alloc(100_000));
  expect(folderSize(folder) - before).toBeGreaterThanOrEqual(100_000);
});

test("a folder's size does not include targets of links", () => {
  const before = folderSize(folder);
  symlinkSync("/usr", join(folder, "work", "usr"));
  expect(folderSize(folder) - before).toBeLessThan(100_000);
});

test("a folder that was deleted has the size 0", () => {
  expect(folderSize(join(folder, "missing"))).toBe(0);
});
