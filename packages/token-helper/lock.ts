// One process of a profile at a time: a file with the holder's process id. Whoever waits looks for the holder's result.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Longer than any sign-in may take. */
export const oldestMs = 6 * 60_000;
/** A holder writes its id at once. */
const emptyMs = 2_000;
const pauseMs = 25;

type Options<T> = {
  hostname: string;
  /** A result that makes the lock needless, looked for while another holds it. */
  found: () => T | undefined;
};

/** Does the work alone, or gives what another has brought about meanwhile. Where no lock can be written, it works without. */
export async function withLock<T>(file: string, { hostname, found }: Options<T>, work: () => Promise<T>): Promise<T> {
  const own = JSON.stringify({ pid: process.pid, hostname });
  let taken = take(file, own);
  while (taken === "held") {
    const result = found();
    if (result !== undefined) return result;
    if (isStale(file, hostname)) clear(file, hostname);
    else await delay(pauseMs * (1 + Math.random()));
    taken = take(file, own);
  }
  if (taken === "impossible") return work();
  const release = () => {
    if (contentOf(file) === own) rmSync(file, { force: true });
  };
  // Also where a signal or an error ends the process.
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

function take(file: string, own: string): "taken" | "held" | "impossible" {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch {
    // Also where a file is in the way, which has the same code as a lock that is held.
    return "impossible";
  }
  try {
    writeFileSync(file, own, { flag: "wx", mode: 0o600 });
    return "taken";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return "held";
    // A full disk makes the file and not its content.
    if (code === "ENOSPC") rmSync(file, { force: true });
    return "impossible";
  }
}

function isStale(file: string, hostname: string): boolean {
  try {
    const age = Date.now() - statSync(file).mtimeMs;
    if (Math.abs(age) > oldestMs) return true;
    const holder = holderOf(contentOf(file) ?? "");
    if (!holder) return Math.abs(age) > emptyMs;
    return holder.hostname === hostname && !isAlive(holder.pid);
  } catch {
    return false;
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function holderOf(text: string): { pid: number; hostname: string } | undefined {
  try {
    const { pid, hostname } = JSON.parse(text);
    return Number.isInteger(pid) && pid > 0 ? { pid, hostname } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Of those who find the same stale lock only one moves it away. Who moved a new one by mistake puts it back; a third may have taken
 * the lock in that instant, and then two refresh at once, which costs a request and nothing else.
 */
function clear(file: string, hostname: string): void {
  const moved = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, moved);
    if (!isStale(moved, hostname)) writeFileSync(file, readFileSync(moved, "utf8"), { flag: "wx", mode: 0o600 });
  } catch {
    // Another was faster.
  } finally {
    rmSync(moved, { force: true });
  }
}
