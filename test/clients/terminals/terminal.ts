// A terminal with a program in it, for the person before it: what is seen, keys to press, a window to resize.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { installPythonTools } from "../../support/python-environment.ts";
import type { Command } from "../child.ts";

const driver = fileURLToPath(new URL("./terminal.py", import.meta.url));
export const size = { rows: 45, columns: 120 };
export type Size = typeof size;

export const keys = {
  enter: "\r",
  escape: "\x1b",
  up: "\x1b[A",
  down: "\x1b[B",
  shiftTab: "\x1b[Z",
  interrupt: "\x03",
  endOfInput: "\x04",
} as const;

/** @throws ToolsMissing. */
export function terminals(): (command: Command, dimensions?: Size) => Terminal {
  const python = installPythonTools({ script: "clients", packages: ["pexpect==4.9.0", "pyte==0.8.2"] });
  return (command, dimensions = size) => new Terminal(python.program("python"), command, dimensions);
}

export class Terminal {
  /** Lines that have scrolled away. */
  above = "";
  screen = "";
  /** The program's exit code once it has ended; negative for a signal. */
  exitCode: number | undefined;
  readonly #child: ChildProcess;
  readonly #watchers = new Set<() => void>();
  readonly #ended: Promise<void>;

  constructor(python: string, { file, args, env, cwd }: Command, dimensions: Size) {
    const surroundings = { PATH: process.env.PATH ?? "", TERM: "xterm-256color", LANG: "C.UTF-8", ...env };
    const program = JSON.stringify({ file, args, env: surroundings, cwd, ...dimensions });
    this.#child = spawn(python, [driver, program], { stdio: ["pipe", "pipe", "inherit"] });
    // A program that has ended reads no more keys.
    this.#child.stdin?.on("error", () => undefined);
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => {
      const { above, screen, exit } = JSON.parse(line) as { above?: string; screen?: string; exit?: number };
      this.above = above ?? this.above;
      this.screen = screen ?? this.screen;
      this.exitCode = exit ?? this.exitCode;
      this.#look();
    });
    this.#ended = new Promise((resolve) => lines.once("close", resolve)).then(() => {
      this.exitCode ??= -1;
      this.#look();
    });
  }

  /** The whole text that a person can read, also by scrolling back. */
  get text(): string {
    return `${this.above}\n${this.screen}`;
  }

  type(text: string): void {
    this.#tell({ type: text });
  }

  resize(rows: number, columns: number): void {
    this.#tell({ resize: [rows, columns] });
  }

  /** Waits until it is so, the program has ended or the time is over; says whether it is so. */
  async until(isSo: () => boolean, milliseconds: number): Promise<boolean> {
    if (isSo() || this.exitCode !== undefined) return isSo();
    return new Promise((resolve) => {
      const look = () => {
        if (isSo() || this.exitCode !== undefined) end();
      };
      const end = () => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(isSo());
      };
      const timer = setTimeout(end, milliseconds);
      this.#watchers.add(look);
    });
  }

  /** Closes the window; ends when nothing of the program is left. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }

  #tell(command: object): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  #look(): void {
    for (const look of this.#watchers) look();
  }
}
