// Which token a client was given, and when: a client that keeps a token for a while and asks again before was refused with it. A
// plain `token` reads and writes these notes, so keep this small.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Access } from "./access-cache.ts";

/** How long a client keeps a token that it was not refused with: Claude Code's key helper, by what setup writes. */
export const heldMs = 300_000;
/** A token that is refused although it is this young is not cured by another one. */
const youngMs = 30_000;

export const clientName = /^[\w-]{1,64}$/;

type Given = { folder: string; client: string | undefined };

/** Whether the client was given this very token, and asks again although it would keep a good one for longer. */
export function isRefused({ folder, client }: Given, { obtained_at }: Access, now: number): boolean {
  if (client === undefined || Math.abs(now - obtained_at) < youngMs) return false;
  try {
    const [given, askedAt] = readFileSync(noteOf(folder, client), "utf8").split(" ").map(Number);
    return given === obtained_at && Math.abs(now - Number(askedAt)) < heldMs;
  } catch {
    return false;
  }
}

/** Where it cannot be noted, the client gets the cached token also when it asks again. */
export function note({ folder, client }: Given, { obtained_at }: Access, now: number): void {
  if (client === undefined) return;
  const file = noteOf(folder, client);
  const write = () => writeFileSync(file, `${obtained_at} ${now}`, { mode: 0o600 });
  try {
    write();
  } catch {
    try {
      mkdirSync(notesIn(folder), { mode: 0o700 });
      write();
    } catch {
      // A read-only home, a full disk.
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
    // There is none, or another process removes them.
  }
}

function notesIn(folder: string): string {
  return join(folder, "given");
}

function noteOf(folder: string, client: string): string {
  return join(notesIn(folder), client);
}
