// A person before an assistant in a terminal: starts it, agrees to what it asks, types, waits for the end of each answer, and quits.
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "../child.ts";
import type { Recorder } from "../recorder.ts";
import type { Assistant } from "./assistants.ts";
import { keys, type Terminal } from "./terminal.ts";

/** Nothing happens for so long after what was waited for: it is over. */
const restMs = 1_000;
/** Nothing happens for so long: what is waited for does not come. On a busy machine a program thinks before it draws. */
const longRestMs = 8_000;
/** A person gives up. */
const patienceMs = 120_000;
/** An assistant may draw for a moment after a key. */
const keyMs = 150;

/** A step of a person, and how long it took. */
export type Act = { what: string; milliseconds: number; ended: boolean };

export type Around = { open: (command: Command) => Terminal; recorder: Pick<Recorder, "open">; assistant: Assistant };

export class Someone {
  readonly acts: Act[] = [];
  /** The text of each window when it was closed. */
  readonly closed: string[] = [];
  #terminal: Terminal | undefined;
  readonly #around: Around;

  constructor(around: Around) {
    this.#around = around;
  }

  get terminal(): Terminal {
    if (!this.#terminal) throw new Error("nothing was started");
    return this.#terminal;
  }

  /** The screen's text now, or at the end. */
  get text(): string {
    return this.#terminal?.text ?? this.closed.at(-1) ?? "";
  }

  /** Opens a window and starts the program; ends when it waits for a question. */
  start(command: Command): Promise<void> {
    this.#terminal = this.#around.open(command);
    return this.#wait("start", () => true);
  }

  /** Types a question or a command and waits until all that follows is over; says whether it is so then. */
  async ask(text: string, isSo: () => boolean = () => true): Promise<boolean> {
    await this.write(text);
    this.terminal.type(keys.enter);
    await sleep(keyMs);
    await this.#wait(text, isSo);
    return isSo();
  }

  /** Types, without Enter. */
  async write(text: string): Promise<void> {
    this.terminal.type(text);
    await this.terminal.until(() => bare(this.terminal.screen).includes(bare(text)), 5_000);
    // Enter that comes in one breath with a text is taken for a part of it.
    await sleep(keyMs);
  }

  async press(...pressed: string[]): Promise<void> {
    for (const key of pressed) {
      this.terminal.type(key);
      await sleep(keyMs);
    }
  }

  /** Waits until it is seen; false if it is not. */
  sees(what: RegExp, milliseconds = 15_000): Promise<boolean> {
    return this.terminal.until(() => what.test(this.terminal.screen), milliseconds);
  }

  rest(what: string): Promise<void> {
    return this.#wait(what, () => true);
  }

  /** Ends the program as people do, and gives its exit code; undefined if it did not end. */
  async quit(): Promise<number | undefined> {
    const { terminal } = this;
    const [last, ...typed] = this.#around.assistant.quit.toReversed();
    for (const text of typed) await this.write(text);
    terminal.type(last ?? "");
    await terminal.until(() => false, 5_000);
    const { exitCode } = terminal;
    await this.close();
    return exitCode;
  }

  async close(): Promise<void> {
    if (!this.#terminal) return;
    await this.#terminal.close();
    this.closed.push(this.#terminal.text);
    this.#terminal = undefined;
  }

  /** Agrees to what is asked until it is so, the program waits for a question and nothing more happens. */
  async #wait(what: string, isSo: () => boolean): Promise<void> {
    const { assistant, recorder } = this.#around;
    const { terminal } = this;
    const startedAt = performance.now();
    let restsSince: number | undefined;
    let ended = false;
    let seen = "";
    while (!ended && terminal.exitCode === undefined && performance.now() - startedAt < patienceMs) {
      await sleep(100);
      const { screen } = terminal;
      const dialog = assistant.dialogs.find(({ shows }) => shows.test(screen));
      if (dialog) {
        await this.press(...dialog.press);
        await terminal.until(() => terminal.screen !== screen, 3_000);
      }
      const rests = !dialog && assistant.ready.test(screen) && !assistant.busy.test(screen) && recorder.open() === 0;
      if (!rests) restsSince = undefined;
      else if (restsSince === undefined || screen !== seen) restsSince = performance.now();
      seen = screen;
      ended = restsSince !== undefined && performance.now() - restsSince >= (isSo() ? restMs : longRestMs);
    }
    const end = ended && restsSince !== undefined ? restsSince : performance.now();
    this.acts.push({ what, milliseconds: Math.round(end - startedAt), ended });
  }
}

/** The text without blanks and the lines of boxes, since a terminal breaks text where it likes. */
export function bare(text: string): string {
  return text.replaceAll(/\\n|[\s\\"'`│┃║⎿●▎|]/g, "");
}
