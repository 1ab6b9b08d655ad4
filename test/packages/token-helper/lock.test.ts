import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { oldestMs, withLock } from "../../../packages/token-helper/lock.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-"));
  file = join(folder, "lock");
});

const options = { hostname: hostname(), found: () => undefined };
const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
const heldBy = (pid: number, host = hostname()) => writeFileSync(file, JSON.stringify({ pid, hostname: host }));

test("one works at a time, and the lock is gone afterwards, failures included", async () => {
  let inside = 0;
  const work = async () => {
    inside += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, options, work)));
  const failing = withLock(file, options, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(readdirSync(folder)).toEqual([]);
});

test("whoever waits takes the result that the holder brought about", async () => {
  heldBy(process.pid);
  let looks = 0;
  const found = () => {
    looks += 1;
    return looks > 1 ? "theirs" : undefined;
  };
  expect(await withLock(file, { ...options, found }, async () => "own")).toBe("theirs");
  expect(existsSync(file)).toBe(true);
});

test.each([
  ["of a dead process", () => heldBy(dead)],
  ["that nobody has ever been so long with", () => heldBy(process.pid)],
  ["without a holder", () => writeFileSync(file, "")],
  ["of another machine, after the same time", () => heldBy(1, "elsewhere")],
])("a lock %s keeps nobody out", async (what, write) => {
  write();
  const long = (Date.now() - oldestMs - 1_000) / 1000;
  if (!what.includes("dead")) utimesSync(file, long, long);
  expect(await withLock(file, options, async () => readFileSync(file, "utf8"))).toContain(String(process.pid));
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that another has taken over is left to them", async () => {
  await withLock(file, options, async () => heldBy(1));
  expect(existsSync(file)).toBe(true);
});

test("where no lock can be written, the work is done without", async () => {
  writeFileSync(join(folder, "file"), "");
  expect(await withLock(join(folder, "file", "lock"), options, async () => "done")).toBe("done");
});
