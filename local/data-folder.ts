// The folder that keeps a stack's data: the paths in it, and the version of the data that it holds.
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
 * The version of all stored data. It is raised whenever a key, an item's attributes or a document of a service changes its
 * form: nothing is migrated, and data of another version is refused.
 */
export const dataVersion = 14;

const root = fileURLToPath(new URL("..", import.meta.url));
export const defaultDataFolder = join(root, ".local");

const markerName = "archway-data.json";
const madeBy = "archway local stack";

/** The place of each part of the data. */
export type DataPaths = {
  /** A file for SQLite, or `:memory:`. */
  services: string;
  /** A folder; none keeps the tables in memory. */
  dynamodb: string | undefined;
  logs: string;
  /** The description of the running stack, for scripts. */
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
 * Gives the folder's paths. A new folder is made and marked. Other files may lie in it.
 * @throws Error, a sentence for people, if it holds data of another version, or data that no stack has marked.
 */
export function openDataFolder(given: string, options: { port?: number | undefined } = {}): DataPaths {
  const folder = suitable(given);
  const paths = pathsIn(folder);
  const version = versionOf(folder);
  if (version === undefined) {
    refuseUnversioned(folder);
    mkdirSync(folder, { recursive: true });
    // The mark comes first, so that the files of a stack that died early are known as a stack's.
    mark(folder, dataVersion);
  } else if (version !== dataVersion) {
    const problem = `holds data of version ${version}, and this stack keeps version ${dataVersion}`;
    throw new Error(`${folder} ${problem}: ${resetCommand(folder, options.port)}.`);
  }
  mkdirSync(paths.logs, { recursive: true });
  return paths;
}

/** Gives paths of a stack that keeps nothing. Only logs lie on the disk, until `close`. */
export function temporaryPaths(): DataPaths & { close(): void } {
  const logs = mkdtempSync(join(tmpdir(), "archway-"));
  const close = () => rmSync(logs, { recursive: true, force: true });
  return { services: ":memory:", dynamodb: undefined, logs, stackFile: undefined, close };
}

/** Marks the folder as a stack's, with the version of its data. */
export function mark(folder: string, version: number): void {
  writeFileSync(join(folder, markerName), `${JSON.stringify({ made_by: madeBy, data_version: version })}\n`);
}

/** The version of the data in a folder that a stack has marked. */
export function versionOf(folder: string): unknown {
  const marker = readJson(join(folder, markerName));
  return marker?.made_by === madeBy ? marker.data_version : undefined;
}

/** @throws Error for a path that is no folder, and for a folder that is or holds the checkout or the home folder. */
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
  const found = Object.values(pathsIn(folder))
    .filter(exists)
    .map((path) => relative(folder, path));
  if (found.length === 0) return;
  throw new Error(
    `${folder} holds ${found.join(", ")}, and nothing says that a stack made it: name another folder with --data, or remove it yourself.`,
  );
}

/** @param port what the person named beside the folder */
function resetCommand(folder: string, port?: number): string {
  const shown = /^[\w./-]+$/.test(folder) ? folder : `"${folder}"`;
  const where = folder === defaultDataFolder ? "" : ` --data ${shown}`;
  const at = port === undefined ? "" : ` --port ${port}`;
  return `\`npm start -- --reset${where}${at}\` empties it and starts anew`;
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
