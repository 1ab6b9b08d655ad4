// What a reviewer should look at before a version is activated: nothing of it is refused, and everything of it has been used to hide something.
import * as z from "zod";
import { type Frontmatter, knownFields } from "./frontmatter.ts";
import { hiddenCharacters, shown } from "./hidden-text.ts";
import { instructionsPath, type SkillFile, utf8TextOf } from "./skill-file.ts";

export const warningSchema = z
  .object({
    path: z.string().optional().describe("Path of the file"),
    line: z.int().optional().describe("Number of the line, starting at 1"),
    message: z.string().describe("What a reviewer should check"),
  })
  .meta({ id: "SkillWarning", description: "A place that a reviewer should check" });

export type ReviewWarning = z.output<typeof warningSchema>;

/** What follows a longer line or a longer gap lies outside what a reviewer sees. */
const longLine = 2_000;
const blankLines = 50;
/** The most warnings of a version: nobody reads more. */
const mostWarnings = 200;

/** Looks of one line, each reported once a file, at its first line. */
const lineLooks: readonly [message: string, look: RegExp][] = [
  // Claude Code runs such commands before the model reads the text (code.claude.com/docs/en/skills).
  ["has a command that some clients run when they load the skill: !`...`", /!`[^`]/],
  ["gives what it downloads to a shell", /\b(?:curl|wget)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/],
  ["has a comment that Markdown does not show", /<!--/],
];
const address = /\bhttps?:\/\/([^\s/"'`<>()[\]{}\\]+)/g;

export function reviewWarnings(frontmatter: Frontmatter, files: readonly SkillFile[]): ReviewWarning[] {
  const found = [...fieldWarnings(frontmatter), ...files.flatMap(fileWarnings)];
  if (found.length <= mostWarnings) return found;
  const left = found.length - mostWarnings;
  return [...found.slice(0, mostWarnings), { message: `and ${left} further warnings: read every file` }];
}

function fieldWarnings(frontmatter: Frontmatter): ReviewWarning[] {
  const own = Object.keys(frontmatter).filter((field) => !knownFields.some((known) => known === field));
  const warn = (message: string) => ({ path: instructionsPath, message });
  return [
    ...("allowed-tools" in frontmatter ? [warn("asks for tools without confirmation: allowed-tools")] : []),
    ...own.map((field) =>
      warn(
        field === "hooks"
          ? "asks some clients to run commands: hooks"
          : `has a field of other clients: ${shown(field)}`,
      ),
    ),
  ];
}

function fileWarnings(file: SkillFile): ReviewWarning[] {
  const { path } = file;
  const text = utf8TextOf(file);
  if (text === undefined) return [{ path, message: "is no text, and cannot be read here" }];
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const warnings: ReviewWarning[] = [];
  const warn = (place: number, message: string) => warnings.push({ path, line: place + 1, message });

  for (const { line, name } of hiddenCharacters(text).slice(0, 1))
    warn(line - 1, `has a character that nobody sees: ${name}`);
  const long = lines.findIndex((line) => line.length > longLine);
  if (long >= 0) warn(long, `has a line of ${lines[long]?.length} characters`);
  const gap = longestGap(lines);
  if (gap.length >= blankLines)
    warn(gap.start, `has ${gap.length} blank lines in a row, and text may stand below them`);
  for (const [message, look] of lineLooks) {
    const place = lines.findIndex((line) => look.test(line));
    if (place >= 0) warn(place, message);
  }
  const hosts = new Set<string>();
  for (const [place, line] of lines.entries()) {
    for (const [, host = ""] of line.matchAll(address)) {
      if (!hosts.has(host)) warn(place, `names an address of ${shown(host)}`);
      hosts.add(host);
    }
  }
  return warnings;
}

/** The longest run of lines with nothing to see. */
function longestGap(lines: readonly string[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let start = 0;
  for (const [place, line] of lines.entries()) {
    if (line.trim() !== "") start = place + 1;
    else if (place + 1 - start > longest.length) longest = { start, length: place + 1 - start };
  }
  return longest;
}
