// The folder of a sandbox: all that its commands may write.
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxAccount } from "./account.ts";

/** Makes a folder to confine a command in, with the two that it needs there. */
export function sandboxFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "sandbox-"));
  const account = sandboxAccount();
  for (const path of [folder, join(folder, "work"), join(folder, "tmp")]) {
    mkdirSync(path, { recursive: true });
    if (account) chownSync(path, account.uid, account.gid);
  }
  return folder;
}

/** The bytes of a folder as they lie on the disk. Links are not followed, and an entry that vanishes meanwhile counts nothing. */
export function folderSize(folder: string): number {
  let bytes = 0;
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    try {
      const stats = lstatSync(path);
      bytes += stats.blocks * 512;
      if (stats.isDirectory()) for (const name of readdirSync(path)) waiting.push(join(path, name));
    } catch {
      // The entry has vanished.
    }
  }
  return bytes;
}
