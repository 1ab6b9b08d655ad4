// A command of the command line, and the reading of its options.
import { Failure } from "./failure.ts";
import type { Machine } from "./machine/machine.ts";

export type Options = Record<string, string | boolean | undefined>;
/** Gives the exit code. @throws Failure. */
export type Command = (machine: Machine, options: Options, words: string[]) => Promise<number>;

/** A command's code is loaded only when it is called: a key helper is called often, and has to be quick. */
export type Described = { load: () => Promise<Command>; options: string[]; words?: number };

/** @throws Failure usage. */
export function wholeNumber(options: Options, name: string, most: number): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,6}$/.test(String(text)) && value <= most) return value;
  throw new Failure("usage", `--${name}: must be a whole number up to ${most}`);
}

/** The text of an option that takes one. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}
