// A skill's folder on this machine, read as an upload needs it: no link is followed, and what is no part of a skill is left out.
import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { uploadLimits } from "../../../domain/skills/limits.ts";
import { type Examination, examineSkill } from "../../../domain/skills/upload-rules.ts";
import { Failure } from "../../command-line/failure.ts";

export type FolderFile = { path: string; content: Uint8Array };

/** @property skipped what was left out: hidden files and installed packages */
export type SkillFolder = { name: string; files: FolderFile[]; skipped: string[] };

type Found = { path: string; size: number };

/**
 * Reads the folder.
 * @throws Failure for a link, a special file, and for more than any skill may hold: nothing is then read further.
 */
export async function readSkillFolder(directory: string): Promise<SkillFolder> {
  const root = await realpath(directory).catch(() => undefined);
  if (!root || !(await lstat(root)).isDirectory()) throw new Failure("failed", `${directory} is no folder`);
  const skipped: string[] = [];
  const found = await filesBelow(root, "", skipped);
  if (found.length > uploadLimits.files)
    throw new Failure("failed", `${directory} has ${found.length} files, at most ${uploadLimits.files} are allowed`);
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  if (bytes > uploadLimits.bytes)
    throw new Failure("failed", `${directory} has ${bytes} bytes, at most ${uploadLimits.bytes} are allowed`);
  const files: FolderFile[] = [];
  for (const { path } of found) files.push({ path, content: await bytesOf(join(root, path)) });
  return { name: basename(root), files, skipped };
}

/** Judges the folder by the platform's own rules. */
export function examineFolder({ name, files }: SkillFolder): Examination {
  return examineSkill(files, name);
}

/** The problems of a folder as lines for people; empty for one that keeps the rules. */
export function problemLines({ problems = [] }: Examination): string[] {
  return problems.map(({ path, message }) => `${path || "the folder"}: ${message}`);
}

async function filesBelow(root: string, folder: string, skipped: string[]): Promise<Found[]> {
  const found: Found[] = [];
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.name.startsWith(".") || entry.name === "node_modules") skipped.push(path);
    else if (entry.isDirectory()) found.push(...(await filesBelow(root, path, skipped)));
    else if (entry.isFile()) found.push({ path, size: (await lstat(join(root, path))).size });
    else {
      const what = entry.isSymbolicLink() ? "a link" : "a special file";
      throw new Failure("failed", `${path} is ${what}: a skill has only folders and files of its own`);
    }
    // A folder that is no skill, such as a home, is not walked through to its end.
    if (found.length > uploadLimits.files * 5) break;
  }
  return found;
}

/** At most one byte more than any skill may have: a file that grows meanwhile is then refused by its size. */
async function bytesOf(file: string): Promise<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error) => {
    throw new Failure("failed", `cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
  });
  try {
    const bytes = Buffer.alloc(uploadLimits.bytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes.length) return new Uint8Array(bytes.subarray(0, length));
    }
  } finally {
    await handle.close();
  }
}
