import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import { Logs } from "../../cloudwatch-logs/logs.ts";

let folder: string;
let clock: Clock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-logs-"));
  clock = new Clock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("log lines are stored with their function and the stack's time, newest last", () => {
  const logs = new Logs(folder, clock);
  logs.write("proxy", "one");
  clock.advance(86_400_000);
  logs.write("control", "two");
  expect(logs.lines()).toMatchObject([
    { function: "proxy", line: "one" },
    { function: "control", line: "two" },
  ]);
  const [first, second] = logs.lines();
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(86_400_000);
});

test("lines are found by their function", () => {
  const logs = new Logs(folder, clock);
  logs.write("proxy", "one");
  logs.write("control", "two");
  expect(logs.lines("control").map(({ line }) => line)).toEqual(["two"]);
  expect(logs.lines("meter")).toEqual([]);
});

test("each function has a file of its lines", async () => {
  new Logs(folder, clock).write("proxy", "one");
  let text = "";
  while (!text) text = await readFile(join(folder, "proxy.log"), "utf8").catch(() => "");
  expect(text).toBe("one\n");
});

test("at least the newest ten thousand log lines are kept, and at most twice as many", () => {
  const logs = new Logs(join(folder, "gone"), clock);
  for (let line = 1; line <= 20_001; line++) logs.write("proxy", String(line));
  expect(logs.lines().length).toBeLessThanOrEqual(20_000);
  expect(
    logs
      .lines()
      .slice(-10_000)
      .map(({ line }) => line),
  ).toEqual(Array.from({ length: 10_000 }, (_, index) => String(10_002 + index)));
});

test("a log folder that was deleted makes nothing fail", () => {
  const logs = new Logs(join(folder, "gone"), clock);
  logs.write("proxy", "one");
  expect(logs.lines()).toHaveLength(1);
});
