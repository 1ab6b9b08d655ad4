// The machine that a program's commands run on, as they see it. Tests bring another one.
import { homedir, hostname } from "node:os";
import type { Readable } from "node:stream";
import { homeOf, type Program } from "../home.ts";

export type Machine = {
  /** The program that runs. */
  program: Program;
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  home: string;
  /** The folder in which the program was started. */
  cwd: string;
  /** What stands before the paths of the machine's own files: nothing, but in tests. */
  systemRoot: string;
  hostname: string;
  /** Milliseconds since the epoch, by a clock that may be wrong. */
  now: () => number;
  stdin: Readable & { isTTY?: boolean };
  /** Writes a command's result, which other programs read. */
  out: (text: string) => void;
  /** Writes a line for people. */
  say: (line: string) => void;
};

export function thisMachine(program: Program): Machine {
  return {
    program,
    env: process.env,
    platform: process.platform,
    home: homeOf(homedir),
    cwd: process.cwd(),
    systemRoot: "",
    hostname: hostname(),
    now: Date.now,
    stdin: process.stdin,
    out: (text) => void process.stdout.write(text),
    say: (line) => void process.stderr.write(`${line}\n`),
  };
}
