// A schema in the plain form of a tool's input, and what its making needs and loses.
import { record } from "../kernel/json.ts";

export const lossCodes = [
  "left_out",
  "union_widened",
  "union_narrowed",
  "conflict",
  "nesting_cut",
  "condition_left_out",
  "as_text",
] as const;

export type LossCode = (typeof lossCodes)[number];

export type PlainSchema = Record<string, unknown>;

/**
 * The rewriting of one operation's schemas.
 * @property inText values travel as text, so that a number and its text are one
 * @property left places that may still be visited
 */
export type Rewriting = {
  document: unknown;
  deepest: number;
  inText: boolean;
  left: { places: number };
  lose: (code: LossCode, at: string, message: string) => void;
};

/** A member's schema; undefined for a name that only an object's prototype has. */
export function own(properties: unknown, name: string): PlainSchema | undefined {
  return Object.hasOwn(record(properties), name) ? record(record(properties)[name]) : undefined;
}

/** The beginning of a text, with dots where it was cut. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3).trimEnd()}...` : text;
}
