// `--reset`: empties the folder of a stack's data, and no other. What someone else put into it stays.
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dataVersion, exists, isUnversionedData, mark, pathsIn, suitable, versionOf } from "./data-folder.ts";
import { Storage } from "./dynamodb/storage.ts";

const madeByStack = /^(services\.sqlite(-wal|-shm|-journal)?|stack\.json)$/;
/** As LevelDB's db/filename.cc names them. */
const madeByLevel = /^(CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/;
const madeByFunctions = /^[\w-]+\.log$/;

/** The version while files are missing: if the process dies, no stack starts with the rest, and a reset goes on. */
const beingEmptied = 0;

/**
 * Nothing is deleted unless all of it is a stack's.
 * @throws Error, a sentence for people, for a folder that no stack made, for a link, and while a stack runs on it.
 */
export async function resetDataFolder(given: string): Promise<void> {
  const folder = suitable(given);
  if (!exists(folder)) return;
  requireFolder(folder);
  if (readdirSync(folder).length === 0) return;
  if (versionOf(folder) === undefined && !isUnversionedData(folder)) {
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

/** The folders themselves stay: the next start needs them. */
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

/** A stack would go on with files that nobody sees any more. */
async function refuseInUse(dynamodb: string): Promise<void> {
  if (!exists(dynamodb)) return;
  try {
    await (await Storage.open(dynamodb)).close();
  } catch (error) {
    // Damaged data is what a reset is for.
    const { code } = (error as { cause?: { code?: unknown } }).cause ?? {};
    if (code === "LEVEL_LOCKED") throw new Error(`${dynamodb} is in use by another process: stop that first.`);
  }
}
