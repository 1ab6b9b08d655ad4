import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { removePrivate, writePrivate } from "../../../../packages/command-line/machine/private-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "archway-")), "profile");
  file = join(folder, "refresh");
});

test("a private file and its folder can be read only by their owner, whatever was there before", () => {
  writePrivate(file, "one");
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  writeFileSync(join(folder, "open"), "", { mode: 0o644 });
  writePrivate(join(folder, "open"), "two");
  expect([statSync(join(folder, "open")).mode & 0o777, readFileSync(join(folder, "open"), "utf8")]).toEqual([
    0o600,
    "two",
  ]);
});

test("a private file that is being replaced is read completely, old or new", () => {
  writePrivate(file, "old");
  const { ino } = statSync(file);
  writePrivate(file, "new");
  expect(statSync(file).ino).not.toBe(ino);
  expect(readdirSync(folder)).toEqual(["refresh"]);
});

test("a private file that cannot be written is named, and no part of it is left", () => {
  mkdirSync(join(folder, "refresh", "in-the-way"), { recursive: true });
  expect(() => writePrivate(file, "text")).toThrow(`cannot write ${file}`);
  expect(readdirSync(folder)).toEqual(["refresh"]);
  writeFileSync(join(folder, "file"), "");
  expect(() => writePrivate(join(folder, "file", "x"), "text")).toThrow("a file is where a folder should be");
});

test("removing a missing private file is no failure", () => {
  removePrivate(file);
});
