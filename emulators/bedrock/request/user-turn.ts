// The last user turn: the own words of the user, and the results of tools.
import type { RequestBody } from "./body-schema.ts";
import type { Block } from "./message-schema.ts";
import type { Tool } from "./tool-schema.ts";

export type UserTurn = {
  /** The last own words of the user, or empty text. */
  question: string;
  results: { tool: string; text: string }[];
};

/**
 * The user's messages after the model's last one. Reminders, notifications of background tasks, files and the output of
 * commands are no words of the user's: clients wrap them in elements, as `<system-reminder>` (Claude Code, opencode).
 */
export function lastUserTurn({ messages }: RequestBody): UserTurn {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const start = messages.slice(0, last + 1).findLastIndex(({ role }) => role === "assistant");
  const blocks = messages
    .slice(start + 1, last + 1)
    .filter(({ role }) => role === "user")
    .flatMap(blocksOf);
  const uses = messages.flatMap(blocksOf).filter((block) => block.type === "tool_use");
  return {
    question: blocks.map((block) => (block.type === "text" ? ownWords(block.text) : "")).findLast((text) => text) ?? "",
    results: blocks
      .filter((block) => block.type === "tool_result")
      .map(({ tool_use_id, content = "" }) => ({
        tool: uses.find(({ id }) => id === tool_use_id)?.name ?? tool_use_id,
        text: typeof content === "string" ? content : content.map((part) => textOf(part)).join(" "),
      })),
  };
}

/** The tool that a text names first, as a word of its own. */
export function namedTool(text: string, tools: Tool[]): Tool | undefined {
  const named = tools
    .map((tool) => ({ tool, at: text.search(wordOf(tool)) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at || other.tool.name.length - one.tool.name.length);
  return named[0]?.tool;
}

/** The JSON that follows the tool's name, as in `the Read tool {"file_path": "a.txt"}`: the input that the user wants. */
export function givenInput(text: string, tool: Tool): object | undefined {
  const behind = text.slice(text.search(wordOf(tool)) + tool.name.length);
  const [, rest] = /^(?: tool)?\s*(\{.*)/s.exec(behind) ?? [];
  if (rest === undefined) return undefined;
  for (let end = rest.indexOf("}"); end >= 0; end = rest.indexOf("}", end + 1)) {
    try {
      return JSON.parse(rest.slice(0, end + 1)) as object;
    } catch {
      // The object goes on behind this brace.
    }
  }
  return undefined;
}

/** The text without the name of the tool, so that a subagent with this task does not call the same tool again. */
export function withoutName(text: string, tool: Tool): string {
  return text.replaceAll(wordOf(tool), "").replaceAll(/ {2,}/g, " ").trim();
}

function wordOf({ name }: Tool): RegExp {
  return new RegExp(`(?<![\\w-])${name.replaceAll(/[^\w-]/g, "\\$&")}(?![\\w-])`, "g");
}

function ownWords(text: string): string {
  return unquoted(outsideElements(text).trim());
}

/** Returns the text outside of elements. It needs one pass only, so that HTML with many unclosed elements does not block the host. */
function outsideElements(text: string): string {
  const opening = /<([a-z][\w-]*)(?:\s[^<>]*)?>/g;
  const neverClosed = new Set<string>();
  let kept = "";
  let from = 0;
  for (let tag = opening.exec(text); tag; tag = opening.exec(text)) {
    const [, name = ""] = tag;
    const end = neverClosed.has(name) ? -1 : text.indexOf(`</${name}>`, opening.lastIndex);
    if (end < 0) {
      neverClosed.add(name);
      continue;
    }
    kept += text.slice(from, tag.index);
    from = end + `</${name}>`.length;
    opening.lastIndex = from;
  }
  return kept + text.slice(from);
}

/** `opencode run` puts a prompt that has spaces in it between quotes, and a backslash before each quote in it. */
function unquoted(text: string): string {
  const [, inner] = /^"((?:[^"]|(?<=\\)")*)"$/.exec(text) ?? [];
  return inner?.replaceAll('\\"', '"') ?? text;
}

const textOf = (block: object) => ("text" in block ? String(block.text) : "");

const blocksOf = ({ content }: RequestBody["messages"][number]): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
