// The logs of functions: a file for each function, and the newest lines in memory.
import { appendFile } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.ts";

export type LogLine = { at: number; function: string; line: string };

const maxLines = 10_000;

export class Logs {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #listeners: ((line: LogLine) => void)[] = [];
  #lines: LogLine[] = [];

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Calls the listener with each new line. */
  onLine(listener: (line: LogLine) => void): void {
    this.#listeners.push(listener);
  }

  write(functionName: string, line: string): void {
    const written = { at: this.#clock.now(), function: functionName, line };
    this.#lines.push(written);
    for (const listener of this.#listeners) listener(written);
    if (this.#lines.length > maxLines * 2) this.#lines = this.#lines.slice(maxLines);
    // The loss of a line while the folder is being deleted is no reason to stop.
    appendFile(join(this.#folder, `${functionName}.log`), `${line}\n`, () => {});
  }

  /** The lines, newest last. @param functionName only those of this function. */
  lines(functionName?: string): LogLine[] {
    return this.#lines.filter((line) => functionName === undefined || line.function === functionName);
  }
}
