// The mutants that no test finds, and their explanations in explained.yaml.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** The change of a mutant, as a person reads it: a line of the source, and the same line with the change. */
export interface Survivor {
  file: string;
  place: string;
  line: string;
  becomes: string;
}

export interface Explanation {
  line: string;
  /** Without it, the explanation is for each mutant of the line. */
  becomes?: string | string[];
  why: string;
}

interface Position {
  line: number;
  column: number;
}

/** Stryker's report: https://github.com/stryker-mutator/mutation-testing-elements/tree/master/packages/report-schema */
export interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Mutant {
  status: string;
  mutatorName: string;
  replacement?: string;
  location: { start: Position; end: Position };
}

export interface Judgement {
  played: number;
  /** Survivors that TypeScript refuses. */
  uncompiled: number;
  explained: number;
  unexplained: Survivor[];
  /** Explanations of mutants that a test finds by now, or that are no more. */
  needless: string[];
}

/** Explanations by the file of the mutant. */
export type Explanations = Record<string, Explanation[]>;

interface JudgeOptions {
  explanations: Explanations;
  /** Whether the file's mutants are part of the run. */
  isMeant: (file: string) => boolean;
  /** Whether the file compiles with this text. */
  compiles: (file: string, text: string) => boolean;
}

export function judge(report: Report, { explanations, isMeant, compiles }: JudgeOptions): Judgement {
  const judgement: Judgement = { played: 0, uncompiled: 0, explained: 0, unexplained: [], needless: [] };
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    if (!isMeant(file)) continue;
    judgement.played += mutants.length;
    const undetected = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
    const logical = undetected.filter((mutant) => !isOfWords(mutant, source));
    const survivors = logical.filter((mutant) => compiles(file, mutated(source, mutant)));
    judgement.uncompiled += logical.length - survivors.length;
    const seen = survivors.map((mutant) => survivorOf(file, source, mutant));
    const own = explanations[file] ?? [];
    for (const each of seen) {
      if (own.some((explanation) => explains(explanation, each))) judgement.explained++;
      else judgement.unexplained.push(each);
    }
    const needless = own.filter((explanation) => !seen.some((each) => explains(explanation, each)));
    judgement.needless.push(...needless.map(({ line }) => `${file}: ${line}`));
  }
  return judgement;
}

export function readExplanations(): Explanations {
  return parse(readFileSync(join(import.meta.dirname, "explained.yaml"), "utf8")) ?? {};
}

function explains({ line, becomes }: Explanation, survivor: Survivor): boolean {
  if (line !== survivor.line) return false;
  return becomes === undefined || [becomes].flat().includes(survivor.becomes);
}

/** Whether the mutant takes away a text for people, which may be worded in any way: a text with a space. */
function isOfWords({ mutatorName, location }: Mutant, source: string): boolean {
  const [start, end] = rangeOf(source, location);
  return mutatorName === "StringLiteral" && source.slice(start, end).includes(" ");
}

function mutated(source: string, { replacement = "", location }: Mutant): string {
  const [start, end] = rangeOf(source, location);
  return source.slice(0, start) + replacement + source.slice(end);
}

function rangeOf(source: string, { start, end }: Mutant["location"]): [start: number, end: number] {
  const lines = source.split("\n");
  const offset = ({ line, column }: Position) =>
    lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, column - 1);
  return [offset(start), offset(end)];
}

function survivorOf(file: string, source: string, { replacement = "", location: { start, end } }: Mutant): Survivor {
  const lines = source.split(/\r?\n/);
  const first = lines[start.line - 1] ?? "";
  const before = first.slice(0, start.column - 1);
  const after = (lines[end.line - 1] ?? "").slice(end.column - 1);
  return {
    file,
    place: `${file}:${start.line}`,
    line: oneLine(first),
    becomes: oneLine(`${before}${replacement}${after}`),
  };
}

/** The text without breaks of lines and indents. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
