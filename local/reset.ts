// `--reset`: empties the folder of a stack's data. Files that no stack made stay.
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Storage } from "../emulators/dynamodb/storage.ts";
import { dataVersion, exists, mark, pathsIn, suitable, versionOf } from "./data-folder.ts";

const madeByStack = /^(services\.sqlite(-wal|-shm|-journal)?|stack\.json)$/;
/** The names are those of LevelDB's db/filename.cc. */
const madeByLevel = /^(CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/;
const madeByFunctions = /^[\w-]+\.log$/;

/** The version while files are being deleted. If the process dies, no stack starts with the rest, and the next reset goes on. */
const beingEmptied = 0;

/**
 * Empties the folder, or deletes nothing at all.
 * @throws Error, a sentence for people, for a folder that no stack has marked, for a link, and while a stack runs on it.
 */
export async function resetDataFolder(given: string): Promise<void> {
  const folder = suitable(given);
  if (!exists(folder)) return;
  requireFolder(folder);
  if (readdirSync(folder).length === 0) return;
  if (versionOf(folder) === undefined) {
    throw new Error(`${folder} was not made by a stack: --reset deletes nothing there.`);
  }
  const { dynamodb, logs } = pathsIn(folder);
  for (const part of [dynamodb, logs]) requireFolder(part);
  await refuseInUse(dynamodb);
  mark(folder, beingEmptied);
  removeFiles(dynamodb, madeByLevel);
  removeFiles(logs, madeByFunctions);
  removeFiles(folder, madeByStack);
  mark(folder, dataVersion);
}

/** Removes the files of these names. The folder stays, since the next start needs it. */
function removeFiles(folder: string, names: RegExp): void {
  if (!exists(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() && names.test(entry.name)) rmSync(join(folder, entry.name));
  }
}

function requireFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw new Error(`${path} is ${found.isSymbolicLink() ? "a link" : "no folder"}: --reset deletes nothing there.`);
}

/** A running stack would go on with deleted files. */
async function refuseInUse(dynamodb: string): Promise<void> {
  if (!exists(dynamodb)) return;
  try {
    await (await Storage.open(dynamodb)).close();
  } catch (error) {
    // A reset is for damaged data too.
    const { code } = (error as { cause?: { code?: unknown } }).cause ?? {};
    if (code === "LEVEL_LOCKED") throw new Error(`${dynamodb} is in use by another process: stop that first.`);
  }
}
