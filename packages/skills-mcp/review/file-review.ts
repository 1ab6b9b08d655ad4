// One file under review: its lines as they are, each hidden character by its name, and what has changed.
import { diffLines } from "diff";
import { visibleLine } from "../../../domain/skills/hidden-text.ts";
import { utf8TextOf } from "../../../domain/skills/skill-file.ts";

export type FileReview = {
  path: string;
  state: "new" | "changed" | "unchanged" | "removed";
  size: number;
  /** Undefined for a file that is no text. */
  lines?: string[];
  /** The changed lines of a text. */
  difference?: { sign: "+" | "-" | " "; line: string }[];
};

/** @param before undefined for a file that the active version does not have; @param now undefined for one that is gone */
export function fileReview(path: string, before: Uint8Array | undefined, now: Uint8Array | undefined): FileReview {
  const isSame = before !== undefined && now !== undefined && Buffer.compare(before, now) === 0;
  const state = isSame ? "unchanged" : now === undefined ? "removed" : before === undefined ? "new" : "changed";
  const [old, text] = [before && utf8TextOf({ content: before }), now && utf8TextOf({ content: now })];
  return {
    path,
    state,
    size: (now ?? before)?.length ?? 0,
    ...(text !== undefined && { lines: linesOf(text) }),
    ...(state === "changed" && old !== undefined && text !== undefined && { difference: difference(old, text) }),
  };
}

function difference(old: string, text: string): NonNullable<FileReview["difference"]> {
  return diffLines(old, text).flatMap(({ added, removed, value }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return linesOf(value.replace(/\n$/, "")).map((line) => ({ sign, line }) as const);
  });
}

function linesOf(text: string): string[] {
  return text.split("\n").map(visibleLine);
}
