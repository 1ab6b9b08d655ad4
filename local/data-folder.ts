// The folder that keeps a stack's data: which files are a stack's, and which version of the data they hold.
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Of everything that is kept. It is raised whenever a key, an item's attributes or a document of a service changes its
 * form: nothing is migrated, and data of another version is refused.
 */
export const dataVersion = 7;

const root = fileURLToPath(new URL("..", import.meta.url));
export const defaultDataFolder = join(root, ".local");

const markerName = "archway-data.json";
const madeBy = "archway local stack";

/** Where each part of the data lies. */
export type DataPaths = {
  /** A file for SQLite, or `:memory:`. */
  services: string;
  /** A folder; none keeps the tables in memory. */
  dynamodb: string | undefined;
  logs: string;
  /** What scripts read of the running stack. */
  stackFile: string | undefined;
};

export function pathsIn(folder: string) {
  return {
    services: join(folder, "services.sqlite"),
    dynamodb: join(folder, "dynamodb"),
    logs: join(folder, "logs"),
    stackFile: join(folder, "stack.json"),
  } satisfies DataPaths;
}

/**
 * The folder's paths; the folder is made and marked if it is new. Other files may lie in it.
 * @throws Error, a sentence for people, if it holds data of another version, or what only looks like a stack's data.
 */
export function openDataFolder(given: string): DataPaths {
  const folder = suitable(given);
  const paths = pathsIn(folder);
  const version = versionOf(folder);
  if (version === undefined) {
    refuseUnversioned(folder);
    mkdirSync(folder, { recursive: true });
    // Before all else: what a stack that died early leaves can be told from others' files.
    mark(folder, dataVersion);
  } else if (version !== dataVersion) {
    const problem = `holds data of version ${version}, and this stack keeps version ${dataVersion}`;
    throw new Error(`${folder} ${problem}: ${resetCommand(folder)}.`);
  }
  mkdirSync(paths.logs, { recursive: true });
  return paths;
}

/** Paths that keep nothing: only logs lie on the disk, until `close`. */
export function temporaryPaths(): DataPaths & { close(): void } {
  const logs = mkdtempSync(join(tmpdir(), "archway-"));
  const close = () => rmSync(logs, { recursive: true, force: true });
  return { services: ":memory:", dynamodb: undefined, logs, stackFile: undefined, close };
}

/** Says that the folder is a stack's, and which version of the data it may hold. */
export function mark(folder: string, version: number): void {
  writeFileSync(join(folder, markerName), `${JSON.stringify({ made_by: madeBy, data_version: version })}\n`);
}

/** The version of the data in a folder that a stack has marked. */
export function versionOf(folder: string): unknown {
  const marker = readJson(join(folder, markerName));
  return marker?.made_by === madeBy ? marker.data_version : undefined;
}

/**
 * Whether a stack of before there were versions made the folder: it has both stores, and the description of a stack.
 * The stores alone have names that others use too.
 */
export function isUnversionedData(folder: string): boolean {
  const { services, dynamodb, stackFile } = pathsIn(folder);
  const description = readJson(stackFile);
  const describesStack = typeof description?.edge === "string" && typeof description.aws === "string";
  return describesStack && exists(services) && exists(join(dynamodb, "CURRENT"));
}

/** @throws Error unless data may lie there: a folder, or none yet, that holds neither the checkout nor a home. */
export function suitable(given: string): string {
  const folder = resolve(given);
  if (!exists(folder)) return folder;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${folder} is not a folder.`);
  const real = realpathSync(folder);
  for (const [what, inside] of [
    ["this checkout", root],
    ["your home folder", homedir()],
  ] as const) {
    if (contains(real, inside)) throw new Error(`${folder} is or holds ${what}: name a folder for the data alone.`);
  }
  return folder;
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, exists(path) ? realpathSync(path) : path);
  return way.split(sep)[0] !== ".." && !isAbsolute(way);
}

export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function refuseUnversioned(folder: string): void {
  if (isUnversionedData(folder)) {
    throw new Error(`${folder} holds data of an earlier version, which this one cannot read: ${resetCommand(folder)}.`);
  }
  const found = Object.values(pathsIn(folder))
    .filter(exists)
    .map((path) => relative(folder, path));
  if (found.length === 0) return;
  throw new Error(
    `${folder} holds ${found.join(", ")}, and nothing says that a stack made it: name another folder with --data, or remove it yourself.`,
  );
}

function resetCommand(folder: string): string {
  const shown = /^[\w./-]+$/.test(folder) ? folder : `"${folder}"`;
  const where = folder === defaultDataFolder ? "" : ` --data ${shown}`;
  return `\`npm start -- --reset${where}\` empties it and starts anew`;
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
