// The files below a folder, for tests of data folders.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The paths of all files below a folder, from there. */
export function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true }) as string[];
  return paths.filter((path) => !statSync(join(folder, path)).isDirectory()).sort();
}
