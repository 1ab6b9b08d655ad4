// Tools: the choice among them, and the pairing of their uses and results in the history.
import type { RequestBody } from "../request/body-schema.ts";
import { every, only } from "./model-group.ts";
import { blocksOf, type Message, type Rule, when } from "./rule.ts";

export const toolRules: readonly Rule[] = [
  {
    refused: "a forced tool",
    models: only("fable-5-1", "fable-5-2", "opus-5-5", "sonnet-5-5"),
    words: 'tool_choice: type "tool" and "any" are not supported for this model.',
    source:
      "anthropics/claude-cookbooks#854, vercel/ai#21364 (Bedrock), platform.claude.com, errors and migration guides; also for counts",
    day: "2026-09-24",
    find: ({ tool_choice: choice }) => when(choice?.type === "any" || choice?.type === "tool"),
  },
  {
    refused: "a choice among no tools",
    models: every,
    words: "tool_choice may only be specified while providing tools.",
    source: "platform.claude.com, tool use",
    day: "2026-11-20",
    find: ({ tools, tool_choice: choice }) => when(choice !== undefined && !tools?.length),
  },
  {
    refused: "the choice of a tool that is not there",
    models: every,
    words: "Tool '{name}' not found in provided tools",
    source: "platform.claude.com, tool use",
    day: "2026-11-20",
    find: ({ tools = [], tool_choice: choice }) =>
      choice?.type === "tool" && !tools.some(({ name }) => name === choice.name) ? { name: choice.name } : undefined,
  },
  {
    refused: "two tools of one name",
    models: every,
    words: "tools: Tool names must be unique.",
    source: "platform.claude.com, tool use",
    day: "2026-11-20",
    find: ({ tools = [] }) => when(new Set(tools.map(({ name }) => name)).size < tools.length),
  },
  {
    refused: "tools in the history without `tools`",
    models: every,
    words: "Requests which include `tool_use` or `tool_result` blocks must define tools.",
    source: "Several public clients' tests and notes of the Messages API",
    day: "2026-11-28",
    find: ({ tools, messages }) =>
      when(
        !tools?.length && messages.flatMap(blocksOf).some(({ type }) => type === "tool_use" || type === "tool_result"),
      ),
  },
  {
    refused: "two uses of a tool with one id",
    models: every,
    words: "messages.{message}.content.{block}: `tool_use` ids must be unique",
    source: "anthropics/claude-code#20901 and #28515",
    day: "2026-02-25",
    find: ({ messages }) => repeated(messages, "tool_use", "id"),
  },
  {
    refused: "two results of one use of a tool",
    models: every,
    words:
      "messages.{message}.content.{block}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
    source: "Several public clients' tests, from failures of 2026",
    day: "2026-06-11",
    find: ({ messages }) => repeated(messages, "tool_result", "tool_use_id"),
  },
  {
    refused: "a tool's result without its use",
    models: every,
    words:
      "messages.{message}.content.{block}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    source: "github/copilot-cli#1159, router-for-me/CLIProxyAPI#497",
    day: "2026-01-28",
    find: (body) => orphan(body),
  },
  {
    refused: "a tool's use without its result at the beginning of the next message",
    models: every,
    words:
      "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    source: "earendil-works/pi#707 (Bedrock), anthropics/claude-code#7929",
    day: "2026-01-13",
    find: (body) => unanswered(body),
  },
  {
    refused: "the result of a server's tool without its use",
    models: every,
    words:
      "messages.{message}.content.{block}: unexpected `tool_use_id` found in `{type}` blocks: {id}. Each `{type}` block must have a corresponding `server_tool_use` block before it.",
    source: "anthropics/claude-code#64383",
    day: "2026-06-01",
    find: ({ messages }) => {
      const used = new Set<unknown>();
      for (const [message, turn] of messages.entries()) {
        for (const [block, { type, id, tool_use_id }] of (blocksOf(turn) as ServerBlock[]).entries()) {
          if (type === "server_tool_use") used.add(id);
          if (type.endsWith("_tool_result") && type !== "mcp_tool_result" && !used.has(tool_use_id)) {
            return { message, block, type, id: `${tool_use_id}` };
          }
        }
      }
      return undefined;
    },
  },
];

type ServerBlock = { type: string; id?: unknown; tool_use_id?: unknown };

/** Neighbouring messages of one role, which the host reads as one. `system` turns do not separate them. */
type Turn = {
  role: Message["role"];
  first: number;
  last: number;
  blocks: { message: number; block: number; content: ServerBlock }[];
};

function turnsOf({ messages }: RequestBody): Turn[] {
  const turns: Turn[] = [];
  for (const [message, one] of messages.entries()) {
    if (one.role === "system") continue;
    const blocks = blocksOf(one).map((content, block) => ({ message, block, content: content as ServerBlock }));
    const before = turns.at(-1);
    if (before?.role === one.role) Object.assign(before, { last: message, blocks: [...before.blocks, ...blocks] });
    else turns.push({ role: one.role, first: message, last: message, blocks });
  }
  return turns;
}

const usesIn = (turn: Turn | undefined) =>
  turn?.role === "assistant" ? turn.blocks.filter(({ content: { type } }) => type === "tool_use") : [];

function orphan(body: RequestBody) {
  const turns = turnsOf(body);
  for (const [index, { blocks }] of turns.entries()) {
    const ids = usesIn(turns[index - 1]).map(({ content: { id } }) => id);
    const found = blocks.find(
      ({ content: { type, tool_use_id } }) => type === "tool_result" && !ids.includes(tool_use_id),
    );
    if (found) return { message: found.message, block: found.block, id: `${found.content.tool_use_id}` };
  }
  return undefined;
}

function unanswered(body: RequestBody) {
  const turns = turnsOf(body);
  for (const [index, turn] of turns.entries()) {
    const next = turns[index + 1]?.blocks ?? [];
    const end = next.findIndex(({ content: { type } }) => type !== "tool_result");
    const answered = next.slice(0, end < 0 ? undefined : end).map(({ content: { tool_use_id } }) => tool_use_id);
    const uses = usesIn(turn).filter(({ content: { id } }) => !answered.includes(id));
    const [first] = uses;
    if (first) return { message: first.message, ids: uses.map(({ content: { id } }) => id).join(", ") };
  }
  return undefined;
}

function repeated(messages: readonly Message[], type: string, field: "id" | "tool_use_id") {
  const seen = new Set<unknown>();
  for (const [message, turn] of messages.entries()) {
    for (const [block, one] of (blocksOf(turn) as ServerBlock[]).entries()) {
      if (one.type !== type) continue;
      if (seen.has(one[field])) return { message, block, id: `${one[field]}` };
      seen.add(one[field]);
    }
  }
  return undefined;
}
