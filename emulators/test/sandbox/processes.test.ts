import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { usageBelow } from "../../sandbox/processes.ts";

test("a process's children and grandchildren are counted, with their memory", async () => {
  // The inner shell speaks for itself, so that it is there with its memory; then it waits for input that never comes.
  const child = spawn("/bin/sh", ["-c", "/bin/sh -c 'echo up; read line'; true"], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  await once(child.stdout, "data");
  const { processes, memoryMb } = usageBelow(child.pid ?? 0);
  expect(processes).toBe(1);
  expect(memoryMb).toBeGreaterThan(0.05);
  process.kill(-(child.pid ?? 0), "SIGKILL");
});

test("a process that does not exist has no children", () => {
  expect(usageBelow(2 ** 22 + 1)).toEqual({ processes: 0, memoryMb: 0 });
});
