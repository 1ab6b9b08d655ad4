// A lock for one process of a profile at a time: a file that names the holder. A waiting process looks for the holder's result.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A lock that is older is nobody's any more: no sign-in takes so long. */
export const oldestMs = 6 * 60_000;
const pauseMs = 25;
/** After this time a waiting process says why it waits. */
const silentMs = 2_000;

/** @property id never used twice */
type Holder = { id: string; pid: number; hostname: string };
/** @property since milliseconds since the epoch */
type Found = Holder & { since: number };

type Options<T> = {
  hostname: string;
  /** A result that makes the lock needless, looked for while another holds it. */
  found: () => T | undefined;
  /** The lock calls this once, when another process has held it for a while. */
  waits?: (holder: Pick<Holder, "pid" | "hostname">) => void;
  silentMs?: number;
};

/**
 * Does the work alone, or gives what another has brought about meanwhile. Where no lock can be written, it works without.
 * @param work is told whether another had the lock before and has brought about nothing
 */
export async function withLock<T>(
  file: string,
  { hostname, found, waits, silentMs: silence = silentMs }: Options<T>,
  work: (waited: boolean) => Promise<T>,
): Promise<T> {
  const own = { id: randomUUID(), pid: process.pid, hostname };
  let taken = take(file, own);
  const waited = taken === "held";
  const begun = performance.now();
  let isTold = false;
  while (taken === "held") {
    const result = found();
    if (result !== undefined) return result;
    if (!isTold && performance.now() - begun >= silence) {
      const holder = holdersOf(file).at(-1);
      if (holder) waits?.(holder);
      isTold = true;
    }
    await delay(pauseMs * (1 + Math.random()));
    taken = take(file, own);
  }
  if (taken === "impossible") return work(waited);
  const release = () => giveBack(file, own);
  // The lock is released also if an error ends the process.
  process.once("exit", release);
  try {
    return await work(waited);
  } finally {
    process.off("exit", release);
    release();
  }
}

/**
 * A lock whose holder is dead is not removed but succeeded: who makes the file that is named by the dead one's id has it. Only one
 * process can make it, and an id does not come back, so nobody succeeds another one than they have judged.
 */
function take(file: string, own: Holder): "taken" | "held" | "impossible" {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const dead = holdersOf(file);
    const last = dead.at(-1);
    if (!last) return create(file, file, own) ? "taken" : "held";
    if (!isStale(last, own.hostname)) return "held";
    const place = successor(file, last);
    if (!create(file, place, own)) return "held";
    // Another process may have taken over from the dead holder before this one, and be done by now. A holder always changes or removes its
    // file first, so an unchanged file means that nobody has.
    const unchanged = holderAt(file)?.id === dead[0]?.id;
    if (unchanged) renameSync(draft(file, own), file);
    for (const holder of unchanged ? dead : [last]) discard(successor(file, holder));
    return unchanged ? "taken" : "held";
  } catch {
    // The disk is full, the home is read-only, or the file system has no links.
    return "impossible";
  } finally {
    discard(draft(file, own));
  }
}

/** Removes the lock as a new holder would: only the process that has created the file of the holder's successor may remove it. */
function giveBack(file: string, own: Holder): void {
  const end = { ...own, id: randomUUID() };
  try {
    // The lock is another process's by now if this one stood still for longer than any work may take.
    if (holdersOf(file).at(-1)?.id !== own.id || !create(file, successor(file, own), end)) return;
    discard(file);
    discard(successor(file, own));
  } catch {
    // On a full disk the lock stays, until this process is dead.
  } finally {
    discard(draft(file, end));
  }
}

/** The lock's file, and those who have succeeded one another and died before they could write their name into it. */
function holdersOf(file: string): Found[] {
  const holders: Found[] = [];
  for (let holder = holderAt(file); holder; holder = holderAt(successor(file, holder))) holders.push(holder);
  return holders;
}

function successor(file: string, { id }: Holder): string {
  return `${file}.${id}`;
}

function draft(file: string, { id }: Holder): string {
  return `${file}.${id}.new`;
}

function discard(place: string): void {
  try {
    unlinkSync(place);
  } catch {
    // There is no file, or nothing can be removed from the folder.
  }
}

/** Makes the lock's file with its content at once, as a link to a draft that is complete. False if the place is taken. */
function create(file: string, place: string, holder: Holder): boolean {
  const source = draft(file, holder);
  writeFileSync(source, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(source, place);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The holder; undefined where there is no file. A file that a power failure damaged has a dead holder. */
function holderAt(place: string): Found | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(place, "r");
  } catch {
    return undefined;
  }
  try {
    const { ino, mtimeMs } = fstatSync(descriptor);
    const { id = `${ino}-${Math.trunc(mtimeMs)}`, pid = 0, hostname = "" } = parsed(readFileSync(descriptor, "utf8"));
    return { id, pid, hostname, since: mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

function parsed(text: string): Partial<Holder> {
  try {
    const { id, pid, hostname } = JSON.parse(text);
    return { ...(/^[\w-]{1,64}$/.test(id) && { id }), ...(Number.isInteger(pid) && pid > 0 && { pid, hostname }) };
  } catch {
    return {};
  }
}

function isStale({ pid, hostname, since }: Found, here: string): boolean {
  return pid === 0 || Math.abs(Date.now() - since) > oldestMs || (hostname === here && !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
