// A file of a skill's folder, and what tells text from bytes.
import type { WrongField } from "../kernel/refusal.ts";

export type SkillFile = {
  /** Relative to the skill's folder, with slashes: `scripts/report.py`. */
  path: string;
  content: Uint8Array;
};

/** A problem with a file, named by its path; a problem with the folder as a whole has an empty path. */
export type SkillProblem = WrongField;

/** The file that every skill has at its top. */
export const instructionsPath = "SKILL.md";

/** The text of a file; undefined if it is none: no UTF-8, or with a byte 0. */
export function utf8TextOf({ content }: Pick<SkillFile, "content">): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    // A byte order mark is an invisible character, and stays to be found.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** The suffix of a path in small letters, with its dot; empty without one. */
export function suffixOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? "";
}
