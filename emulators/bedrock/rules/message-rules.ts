// Messages: white space, a prefilled answer, and where a `system` turn is and what it holds.
import type { RequestBody } from "../request/body-schema.ts";
import type { Block } from "../request/message-schema.ts";
import { every, only, since, until } from "./model-group.ts";
import { blocksOf, blocksWithin, type Message, type Particulars, type Rule, when } from "./rule.ts";

const anywhere = "the directive-only form (content: [] with output_config) is accepted at any position";
/** The rules of `system` turns. Bedrock has the same ones (BerriAI/litellm#32831). */
const systemTurns = {
  models: since("4.8"),
  source:
    "A public gateway's recorded cases of claude-opus-5-5; anthropics/claude-code#73821, LeenHawk/gproxy#209, BerriAI/litellm#32831 (Bedrock)",
  day: "2026-10-06",
};

export const messageRules: readonly Rule[] = [
  {
    refused: "`system` turns",
    models: until("4.6"),
    words:
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    source: "BerriAI/litellm#32831, #32882",
    day: "2026-11-21",
    find: hasSystemTurn,
  },
  {
    refused: "`system` turns, in other words",
    models: only("opus-4-7"),
    words: "role 'system' is not supported on this model",
    source: "BerriAI/litellm#32831, #32882",
    day: "2026-11-21",
    find: hasSystemTurn,
  },
  {
    ...systemTurns,
    refused: "a `system` turn of nothing",
    words: "messages.{message}: system content must contain at least one block",
    find: (body) => placedTurn(body, ({ content }) => content.length === 0),
  },
  {
    ...systemTurns,
    refused: "a block in a `system` turn that is neither text nor a change of tools",
    words: "messages.{message}: role 'system' supports text, tool_addition, and tool_removal blocks only",
    find: (body) =>
      placedTurn(body, (turn) =>
        blocksOf(turn).some(({ type }) => !["text", "tool_addition", "tool_removal"].includes(type)),
      ),
  },
  {
    ...systemTurns,
    refused: "a `system` turn before all others",
    words: `messages.{message}: use the top-level 'system' parameter for the initial system prompt; ${anywhere}`,
    find: (body) => placedTurn(body, (_, before) => before === undefined),
  },
  {
    ...systemTurns,
    refused: "a `system` turn after an answer",
    words: `messages.{message}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; ${anywhere}`,
    find: (body) => placedTurn(body, (_, before) => before?.role === "assistant" && !endsInServerTool(before)),
  },
  {
    ...systemTurns,
    refused: "a `system` turn before a user's",
    words: `messages.{message}: role 'system' must precede an 'assistant' message or end the array; ${anywhere}`,
    find: (body) => placedTurn(body, (_, before, after) => before !== undefined && after?.role === "user"),
  },
  {
    refused: "a user's message of nothing",
    models: every,
    words: "messages.{message}: user messages must have non-empty content",
    source: "Several public clients' notes of the Messages API",
    day: "2026-11-28",
    find: ({ messages }) => {
      const message = messages.findIndex(({ role, content }) => role === "user" && content.length === 0);
      return message < 0 ? undefined : { message };
    },
  },
  {
    refused: "a text of white space",
    models: every,
    words: "messages: text content blocks must contain non-whitespace text",
    source: "NousResearch/hermes-agent#41985 (Bedrock), anthropics/claude-code#23440",
    day: "2026-06-08",
    find: (body) => when(blocksWithin(body).some(({ block }) => block.type === "text" && block.text.trim() === "")),
  },
  {
    // An answer that ends in the use of a server's tool is one to be continued.
    refused: "a prefilled answer",
    models: since("4.6"),
    words: "This model does not support assistant message prefill. The conversation must end with a user message.",
    source: "anomalyco/opencode#29760 and XiaomiMiMo/MiMo-Code#1703 (Bedrock); platform.claude.com, errors",
    day: "2026-07-13",
    find: ({ messages }) => {
      const last = messages.findLast(({ role }) => role !== "system");
      return when(last?.role === "assistant" && !endsInServerTool(last));
    },
  },
  {
    refused: "white space at the end of a prefilled answer",
    models: until("4.5"),
    words: "messages: final assistant content cannot end with trailing whitespace",
    source: "tailcallhq/forgecode#1872",
    day: "2025-11-08",
    find: ({ messages }) => {
      const last = messages.at(-1);
      const end = last?.role === "assistant" ? blocksOf(last).at(-1) : undefined;
      return when(end?.type === "text" && end.text !== end.text.trimEnd());
    },
  },
];

function hasSystemTurn({ messages }: RequestBody): Particulars | undefined {
  return when(messages.some(({ role }) => role === "system"));
}

/**
 * The first `system` turn that is refused by what it holds and what is around it. A directive (a `system` turn with
 * `output_config` and no content) may be anywhere, so neighbours are found as if it were absent. Consecutive `system` turns count
 * as one.
 */
function placedTurn(
  { messages }: RequestBody,
  refused: (turn: Message, before: Message | undefined, after: Message | undefined) => boolean,
): Particulars | undefined {
  const isDirective = (turn: Message) =>
    turn.role === "system" && turn.content.length === 0 && Boolean(turn.output_config);
  const placed = [...messages.entries()].filter(([, turn]) => !isDirective(turn));
  const found = placed.find(([, turn], position) => {
    if (turn.role !== "system") return false;
    const before = placed.slice(0, position).findLast(([, { role }]) => role !== "system")?.[1];
    return refused(turn, before, placed[position + 1]?.[1]);
  });
  return found && { message: found[0] };
}

function endsInServerTool(turn: Message): boolean {
  const last: Block["type"] | undefined = blocksOf(turn).at(-1)?.type;
  return last === "server_tool_use" || Boolean(last?.endsWith("_tool_result"));
}
