// Unpacks the archive of a function into a folder on disk, from which its instances load the code.
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The text of each file, by its path in the archive. */
export type Archive = Readonly<Record<string, string>>;

/** The folder's name is the hash of its content, so that equal archives share one and none is half written. */
export function unpack(archive: Archive, bundleFolder: string): string {
  const files = Object.entries(archive).sort(([one], [other]) => (one < other ? -1 : 1));
  const hash = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16);
  const folder = join(bundleFolder, hash);
  if (existsSync(folder)) return folder;
  const draft = join(bundleFolder, `${hash}.${randomUUID()}`);
  for (const [path, text] of files) {
    const file = join(draft, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another stack of this checkout has unpacked the same archive first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
