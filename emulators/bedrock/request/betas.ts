// The beta flags that Bedrock's InvokeModel accepts in `anthropic_beta`; any other one is `invalid beta flag`. And which
// parts of a body need one of them: without it they are extra inputs.
import type { RequestBody } from "./body-schema.ts";

const contextManagement = "context-management-2025-06-27";
const compaction = "compact-2026-01-12";
const toolSearch = "tool-search-tool-2025-10-19";
const messageOutputConfig = "mid-conversation-output-config-2026-07-01";
const perTurnControl = "per-turn-control-2026-07-01";
const toolChanges = "mid-conversation-tool-changes-2026-07-01";
const dangerousToolUse = "dangerous-tool-use-2026-09-03";
const displayUpdates = "thinking-display-updates-2026-08-18";
const bindingControls = "thinking-binding-controls-2026-08-01";

/**
 * After the map that LiteLLM keeps for InvokeModel (anthropic_beta_headers_config.json, November 2026); it changes monthly.
 * Two are taken that the map drops: interleaved thinking, which Claude Code sends to Bedrock, and per-turn control, under which
 * Claude Code sends what the vendor calls `mid-conversation-output-config`.
 */
export const knownBetas: ReadonlySet<string> = new Set([
  compaction,
  "computer-use-2025-01-24",
  "computer-use-2025-11-24",
  "context-1m-2025-08-07",
  contextManagement,
  dangerousToolUse,
  "effort-2025-11-24",
  "fine-grained-tool-streaming-2025-05-14",
  "interleaved-thinking-2025-05-14",
  messageOutputConfig,
  toolChanges,
  perTurnControl,
  bindingControls,
  displayUpdates,
  toolSearch,
]);

/** A part of a body that needs one of these flags, and the words of the refusal without them. */
type Gated = { needs: string[]; words: string };

const extraInput = (path: string, ...needs: string[]): Gated => ({
  needs,
  words: `${path}: Extra inputs are not permitted`,
});

/** Lists the parts of the body that need a flag, in the order in which the host checks them. */
export function gatedParts(body: RequestBody): Gated[] {
  return [
    ...(body.context_management ? [extraInput("context_management", contextManagement, compaction)] : []),
    ...(body.safeguards ? [extraInput("safeguards", dangerousToolUse)] : []),
    ...gatedThinking(body),
    ...(body.tools ?? []).flatMap((tool, index) => gatedToolFields(tool, `tools.${index}.custom`)),
    ...body.messages.flatMap((message, index) => gatedMessageParts(message, `messages.${index}`)),
  ];
}

/** `eager_input_streaming` is refused with any flag (anthropics/claude-code#32820), so no schema has it. */
function gatedToolFields(tool: object, path: string): Gated[] {
  const fields = ["allowed_callers", "defer_loading", "input_examples"].filter((field) => field in tool);
  return fields.map((field) => extraInput(`${path}.${field}`, toolSearch));
}

/** Words: zeroclaw-labs/zeroclaw#10617 for `updates`, Wei-Shaw/sub2api#6677 for `block_binding`. */
function gatedThinking({ thinking }: RequestBody): Gated[] {
  if (!thinking || thinking.type === "disabled") return [];
  const path = `thinking.${thinking.type}`;
  return [
    ...(thinking.display === "updates"
      ? [{ needs: [displayUpdates], words: `${path}.display: Input should be 'summarized', 'omitted'` }]
      : []),
    ...(thinking.block_binding ? [extraInput(`${path}.block_binding`, bindingControls)] : []),
  ];
}

/** Words: diegosouzapw/OmniRoute#14746 for `output_config`. */
function gatedMessageParts(message: RequestBody["messages"][number], path: string): Gated[] {
  if (message.role !== "system") return [];
  const blocks = typeof message.content === "string" ? [] : message.content;
  return [
    ...(message.output_config ? [extraInput(`${path}.output_config`, messageOutputConfig, perTurnControl)] : []),
    ...blocks.flatMap(({ type }, index) =>
      type === "tool_addition" || type === "tool_removal"
        ? [{ needs: [toolChanges], words: unknownTag(`${path}.content.${index}`, type) }]
        : [],
    ),
  ];
}

const unknownTag = (path: string, type: string) =>
  `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'text'`;
