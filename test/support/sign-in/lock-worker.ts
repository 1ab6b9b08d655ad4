// A process that takes a lock a few times, says whom it meets inside, and is killed while it holds it for the last time.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { withLock } from "../../../packages/sign-in/lock.ts";

const [lock = "", arena = "", times = "1"] = process.argv.slice(2);
const [inside, counter] = [join(arena, "inside"), join(arena, "counter")];

function enter(): void {
  try {
    writeFileSync(inside, String(process.pid), { flag: "wx" });
  } catch {
    const other = Number(readFileSync(inside, "utf8"));
    if (isAlive(other)) process.stdout.write("two at once\n");
    writeFileSync(inside, String(process.pid));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

for (let left = Number(times); left > 0; left -= 1) {
  await withLock(lock, { hostname: hostname(), found: () => undefined }, async () => {
    enter();
    const before = Number(readFileSync(counter, "utf8"));
    await setImmediate();
    writeFileSync(counter, String(before + 1));
    if (left === 1) process.kill(process.pid, "SIGKILL");
    rmSync(inside);
  });
}
