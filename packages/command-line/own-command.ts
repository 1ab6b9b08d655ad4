// The command line by which another program starts this one: its name if PATH has it, else the path of its files.
import { realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Failure } from "./failure.ts";
import type { Machine } from "./machine/machine.ts";

/** A command, as a list of words and as a line for a shell. */
export type CommandLine = { words: string[]; line: string };

type Surroundings = Pick<Machine, "env" | "platform" | "program">;

/** The folders of npm and pnpm for programs that run only once. */
const temporary = /[\\/](_npx|dlx(-[^\\/]+)?)[\\/]/;

/**
 * @param script the file that runs; a prebuilt binary is its own.
 * @throws Failure for one that will not be there any more.
 */
export function ownCommand(
  surroundings: Surroundings,
  args: string[],
  { executable, script }: { executable: string; script: string } = {
    executable: process.execPath,
    script: process.argv[1] ?? "",
  },
): CommandLine {
  const own = isBinary(executable, script) ? [executable] : [executable, script];
  if (temporary.test(realPath(script) ?? script))
    throw new Failure(
      "failed",
      `npx runs ${surroundings.program.name} from a place that is emptied: install it first, npm i -g`,
    );
  const program = isOnPath(surroundings, own.at(-1) ?? "") ? [surroundings.program.name] : own;
  const words = [...program, ...args];
  const line = words.map((word) => quoted(word, surroundings.platform)).join(" ");
  return { words, line };
}

/** A prebuilt binary tells its own file in both places. */
function isBinary(executable: string, script: string): boolean {
  return script === "" || script === executable || (realPath(script) ?? "none") === realPath(executable);
}

function isOnPath({ env, platform, program }: Surroundings, own: string): boolean {
  // npm's commands on Windows are scripts that name the file, and not links to it.
  const name = platform === "win32" ? `${program.name}.cmd` : program.name;
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
