// The command line by which another program starts this one: its name where the path has it, else its files.
import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { HelperCommand } from "./clients/client.ts";
import { Failure } from "./failure.ts";
import type { Machine } from "./machine/machine.ts";

type Surroundings = Pick<Machine, "env" | "platform">;

/** The folders of npm and pnpm for programs that run only once. */
const temporary = /[\\/](_npx|dlx(-[^\\/]+)?)[\\/]/;

/**
 * @param script the file that runs; a prebuilt binary is its own.
 * @throws Failure for one that will not be there any more.
 */
export function helperCommand(
  surroundings: Surroundings,
  profile: string,
  { executable, script }: { executable: string; script: string } = {
    executable: process.execPath,
    script: process.argv[1] ?? "",
  },
): HelperCommand {
  const own = isBinary(executable, script) ? [executable] : [executable, script];
  if (temporary.test(realPath(script) ?? script))
    throw new Failure("failed", "npx runs archway from a place that is emptied: install it first, npm i -g");
  const program = isOnPath(surroundings, own.at(-1) ?? "") ? ["archway"] : own;
  const rest = ["token", ...(profile === "default" ? [] : ["--profile", profile])];
  const line = [...program, ...rest].map((word) => quoted(word, surroundings.platform)).join(" ");
  return { words: [...program, ...rest], line };
}

/** A prebuilt binary tells its own file in both places. */
function isBinary(executable: string, script: string): boolean {
  return script === "" || script === executable || (realPath(script) ?? "none") === realPath(executable);
}

function isOnPath({ env, platform }: Surroundings, own: string): boolean {
  // npm's commands on Windows are scripts that name the file, and not links to it.
  const name = platform === "win32" ? "archway.cmd" : "archway";
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const found = folders.map((folder) => realPath(join(folder, name))).find((file) => file !== undefined);
  return found !== undefined && (platform === "win32" || found === realPath(own));
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function quoted(word: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word) && (platform === "win32" || !word.includes("\\"))) return word;
  return platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
