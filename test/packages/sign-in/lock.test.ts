import { spawn, spawnSync } from "node:child_process";
import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, jest, test } from "@jest/globals";
import { oldestMs, withLock } from "../../../packages/sign-in/lock.ts";

const { linkSync } = fs;
/** What others do in the instant before a process that has found a lock stale acts on it. */
let meanwhile = (): void => undefined;
const linking = jest.spyOn(fs, "linkSync").mockImplementation((from, to) => {
  meanwhile();
  linkSync(from, to);
});
syncBuiltinESMExports();
afterAll(() => {
  linking.mockRestore();
  syncBuiltinESMExports();
});

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-"));
  file = join(folder, "lock");
  meanwhile = () => undefined;
});

const options = { hostname: hostname(), found: () => undefined };
const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
const heldBy = (pid: number, host = hostname()) => writeFileSync(file, JSON.stringify({ pid, hostname: host }));

test("one process at a time holds the lock, which is released afterwards, even after a failure", async () => {
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

test("a process that waits for the lock uses the holder's result", async () => {
  heldBy(process.pid);
  let looks = 0;
  const found = () => {
    looks += 1;
    return looks > 1 ? "theirs" : undefined;
  };
  expect(await withLock(file, { ...options, found }, async () => "own")).toBe("theirs");
  expect(existsSync(file)).toBe(true);
});

test("a process that waits long for the lock says once who holds it", async () => {
  heldBy(process.pid, "elsewhere");
  const told: unknown[] = [];
  let looks = 0;
  const found = () => {
    looks += 1;
    return looks > 3 ? "theirs" : undefined;
  };
  await withLock(file, { ...options, found, silentMs: 0, waits: (holder) => told.push(holder) }, async () => "own");
  expect(told).toEqual([expect.objectContaining({ pid: process.pid, hostname: "elsewhere" })]);
  looks = 2;
  await withLock(file, { ...options, found, waits: (holder) => told.push(holder) }, async () => "own");
  expect(told).toHaveLength(1);
});

test.each([
  ["of a dead process", () => heldBy(dead)],
  ["that nobody has ever been so long with", () => heldBy(process.pid)],
  ["without a holder", () => writeFileSync(file, "")],
  ["of another machine, after the same time", () => heldBy(1, "elsewhere")],
])("a lock %s stops no process", async (what, write) => {
  write();
  const long = (Date.now() - oldestMs - 1_000) / 1000;
  if (!what.includes("dead")) utimesSync(file, long, long);
  expect(await withLock(file, options, async () => readFileSync(file, "utf8"))).toContain(String(process.pid));
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that another process has taken over is not released by the former holder", async () => {
  await withLock(file, options, async () => heldBy(1));
  expect(existsSync(file)).toBe(true);
});

test("a process works without a lock if none can be written", async () => {
  writeFileSync(join(folder, "file"), "");
  expect(await withLock(join(folder, "file", "lock"), options, async () => "done")).toBe("done");
});

test("a lock whose holder died while taking it over can be taken over again", async () => {
  writeFileSync(file, JSON.stringify({ id: "one", pid: dead, hostname: hostname() }));
  writeFileSync(`${file}.one`, JSON.stringify({ id: "two", pid: dead, hostname: hostname() }));
  expect(await withLock(file, options, async () => readdirSync(folder))).toEqual(["lock"]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that was taken over belongs to the new holder, even while it names the dead one", async () => {
  writeFileSync(file, JSON.stringify({ id: "one", pid: dead, hostname: hostname() }));
  writeFileSync(`${file}.one`, JSON.stringify({ id: "two", pid: process.pid, hostname: hostname() }));
  let looks = 0;
  const found = () => (looks++ > 0 ? "theirs" : undefined);
  expect(await withLock(file, { ...options, found }, async () => "own")).toBe("theirs");
});

test.each<[string, () => void, string[]]>([
  [
    "is about to take it over by then",
    () => writeFileSync(`${file}.one`, JSON.stringify({ id: "two", pid: process.pid, hostname: hostname() })),
    ["lock", "lock.one"],
  ],
  ["has taken it over by then, and given it back, and a third one has it", () => heldBy(process.pid), ["lock"]],
])("a stale lock is left to another who %s", async (_what, others, left) => {
  writeFileSync(file, JSON.stringify({ id: "one", pid: dead, hostname: hostname() }));
  meanwhile = () => {
    meanwhile = () => undefined;
    others();
  };
  let looks = 0;
  const found = () => (looks++ > 0 ? "theirs" : undefined);
  expect(await withLock(file, { ...options, found }, async () => "own")).toBe("theirs");
  expect(readdirSync(folder).sort()).toEqual(left);
});

test("no two of many processes ever hold the lock at the same time, even if each dies while holding it", async () => {
  const arena = join(folder, "arena");
  mkdirSync(arena);
  writeFileSync(join(arena, "counter"), "0");
  const worker = fileURLToPath(new URL("../../support/sign-in/lock-worker.ts", import.meta.url));
  const [processes, times] = [6, 2];
  const ends = Array.from({ length: processes }, async () => {
    const child = spawn(process.execPath, [worker, file, arena, String(times)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const signal = await new Promise((resolve) => child.once("close", (_code, name) => resolve(name)));
    return { signal, out };
  });
  expect(await Promise.all(ends)).toEqual(Array.from({ length: processes }, () => ({ signal: "SIGKILL", out: "" })));
  expect(readFileSync(join(arena, "counter"), "utf8")).toBe(String(processes * times));
});
