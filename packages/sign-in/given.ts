// Which token a client was given, and when: a client that keeps a token for a while and asks again before was refused with it. A
// plain `token` reads and writes these notes, so keep this small.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Access } from "./access-cache.ts";

/** How long a client keeps a token that it was not refused with: Claude Code's key helper, by what setup writes. */
export const heldMs = 300_000;
/** If a token that was got because of a refusal is refused within this time, no other token helps. */
const cureMs = 30_000;

export const clientName = /^[\w-]{1,64}$/;

type Given = { folder: string; client: string | undefined };

/** Whether the client was given this very token, and asks again although it would keep a good one for longer. */
export function isRefused({ folder, client }: Given, { obtained_at }: Access, now: number): boolean {
  const last = client === undefined ? undefined : noted(folder, client);
  if (last?.given !== obtained_at) return false;
  const inVain = last.isCure && Math.abs(now - obtained_at) < cureMs;
  return !inVain && Math.abs(now - last.askedAt) < heldMs;
}

/**
 * Notes that the client was given this token. A note that cannot be written is left out: the client then gets the cached token also when it asks again.
 * @param isCure whether the token was got because the client was refused with the one before
 */
export function note({ folder, client }: Given, { obtained_at }: Access, now: number, isCure = false): void {
  if (client === undefined) return;
  const file = noteOf(folder, client);
  const last = noted(folder, client);
  const cure = isCure || (last?.given === obtained_at && last.isCure);
  const write = () => writeFileSync(file, `${obtained_at} ${now} ${cure ? 1 : 0}`, { mode: 0o600 });
  try {
    write();
  } catch {
    try {
      mkdirSync(notesIn(folder), { mode: 0o700 });
      write();
    } catch {
      // The home is read-only, or the disk is full: the token is given all the same.
    }
  }
}

/** Removes the notes that tell nothing any more. */
export function removeOldNotes(folder: string, now: number): void {
  try {
    for (const name of readdirSync(notesIn(folder))) {
      const file = join(notesIn(folder), name);
      if (Math.abs(now - statSync(file).mtimeMs) > heldMs) rmSync(file, { force: true });
    }
  } catch {
    // The folder of notes is missing, or another process removes the same ones.
  }
}

/** Undefined for a client that was given nothing, or whose note is damaged. */
function noted(folder: string, client: string): { given: number; askedAt: number; isCure: boolean } | undefined {
  try {
    const [given, askedAt, cure] = readFileSync(noteOf(folder, client), "utf8").split(" ").map(Number);
    return given === undefined || askedAt === undefined ? undefined : { given, askedAt, isCure: cure === 1 };
  } catch {
    return undefined;
  }
}

function notesIn(folder: string): string {
  return join(folder, "given");
}

function noteOf(folder: string, client: string): string {
  return join(notesIn(folder), client);
}
