// The words, texts and symbols of a Logs Insights query.
import { AwsError } from "../aws/service.ts";

export type Token = { kind: "word" | "text" | "number" | "pattern" | "symbol"; text: string };

const kinds: [kind: Token["kind"] | "blank", pattern: RegExp][] = [
  ["blank", /(?:\s+|#[^\n]*)/y],
  // A backslash makes the next letter an ordinary one.
  ["text", /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy],
  ["pattern", /\/(?:[^/\\\n]|\\.)+\/i?/y],
  ["number", /-?\d+(?:\.\d+)?(?![\w@.])/y],
  ["word", /`[^`]+`|[@\w][\w.@-]*/y],
  ["symbol", /=~|!=|<=|>=|[|,()[\]=<>]/y],
];

/** @throws AwsError MalformedQueryException for a letter that begins nothing. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < query.length; ) {
    const [kind, text] = next(query, at);
    at += text.length;
    if (kind !== "blank") tokens.push({ kind, text: unquoted(kind, text) });
  }
  return tokens;
}

function next(query: string, at: number): [Token["kind"] | "blank", string] {
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = at;
    const [text] = pattern.exec(query) ?? [];
    if (text) return [kind, text];
  }
  throw new AwsError("MalformedQueryException", `unexpected symbol found ${query[at]} at position ${at}`);
}

function unquoted(kind: Token["kind"], text: string): string {
  if (kind === "text") return text.slice(1, -1).replace(/\\(.)/gs, "$1");
  return kind === "word" && text.startsWith("`") ? text.slice(1, -1) : text;
}
