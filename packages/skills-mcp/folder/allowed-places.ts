// Where an assistant may make this program read and write: inside the folders that its client names, links resolved.
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../../command-line/failure.ts";

/** The folders of a client's roots; the working directory where it names none. */
export function allowedFolders(uris: string[], workingDirectory: string): string[] {
  const folders = uris.flatMap((uri) => {
    try {
      return uri.startsWith("file:") ? [fileURLToPath(uri)] : [];
    } catch {
      return [];
    }
  });
  return folders.length > 0 ? folders : [workingDirectory];
}

/**
 * The real path of what is there already.
 * @throws Failure for one that is missing, or lies elsewhere.
 */
export function placeInside(path: string, folders: string[], workingDirectory: string): string {
  const real = realPath(resolve(workingDirectory, path));
  if (real === undefined) throw new Failure("failed", `${path} is not there`);
  return inside(real, path, folders);
}

/**
 * The real path of what is to be made: the folder above it must be there.
 * @throws Failure for one that lies elsewhere.
 */
export function newPlaceInside(path: string, folders: string[], workingDirectory: string): string {
  const wanted = resolve(workingDirectory, path);
  const there = realPath(wanted);
  if (there !== undefined) return inside(there, path, folders);
  const above = realPath(dirname(wanted));
  if (above === undefined) throw new Failure("failed", `the folder of ${path} is not there`);
  return inside(join(above, basename(wanted)), path, folders);
}

function inside(real: string, named: string, folders: string[]): string {
  const isInside = folders.some((folder) => {
    const root = realPath(folder);
    const way = root === undefined ? ".." : relative(root, real);
    return way === "" || (way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way));
  });
  if (isInside) return real;
  throw new Failure("failed", `${named} lies outside ${folders.join(", ")}: nothing there is read or written`);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
