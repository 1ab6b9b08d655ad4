// Beta flags: those that InvokeModel accepts in `anthropic_beta`, and the parts of a body that are extra inputs without their flag.
import { every, only } from "./model-group.ts";
import { type Particulars, type Rule, when } from "./rule.ts";

const contextManagement = "context-management-2025-06-27";
const compaction = "compact-2026-01-12";
const toolSearch = "tool-search-tool-2025-10-19";
const messageOutputConfig = "mid-conversation-output-config-2026-07-01";
const perTurnControl = "per-turn-control-2026-07-01";
const toolChanges = "mid-conversation-tool-changes-2026-07-01";
const dangerousToolUse = "dangerous-tool-use-2026-09-03";
const displayUpdates = "thinking-display-updates-2026-08-18";
export const bindingControls = "thinking-binding-controls-2026-08-01";

/**
 * After the map that LiteLLM keeps for InvokeModel; it changes monthly. Two are taken that the map drops: interleaved thinking,
 * which Claude Code sends to Bedrock, and per-turn control, under which Claude Code sends what the vendor calls
 * `mid-conversation-output-config`.
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

const litellm = "LiteLLM, anthropic_beta_headers_config.json, bedrock";

/** `eager_input_streaming` is refused with any flag (anthropics/claude-code#32820), so no schema has it. */
const deferredTools = ["allowed_callers", "defer_loading", "input_examples"].map(
  (field): Rule => ({
    refused: `\`tools[].${field}\` without a flag`,
    models: every,
    unless: [toolSearch],
    words: `tools.{tool}.custom.${field}: Extra inputs are not permitted`,
    source: litellm,
    day: "2026-11-20",
    find: ({ tools = [] }) => at("tool", tools, (tool) => field in tool),
  }),
);

export const betaRules: readonly Rule[] = [
  {
    refused: "a beta flag that the host does not know",
    models: every,
    words: "invalid beta flag",
    source: litellm,
    day: "2026-11-20",
    find: ({ anthropic_beta: flags = [] }) => when(flags.some((flag) => !knownBetas.has(flag))),
  },
  {
    // Early reports name interleaved thinking too (anthropics/claude-code#49490); Claude Code has gone on to send it to this model.
    refused: "the flag for a context of 1M tokens",
    models: only("opus-4-7"),
    words: "invalid beta flag",
    source: "LiteLLM: Opus 4.7 rejects it, 1M is native",
    day: "2026-11-20",
    find: ({ anthropic_beta: flags = [] }) => when(flags.includes("context-1m-2025-08-07")),
  },
  {
    refused: "`context_management` without a flag",
    models: every,
    unless: [contextManagement, compaction],
    words: "context_management: Extra inputs are not permitted",
    source: litellm,
    day: "2026-11-20",
    find: ({ context_management: edits }) => when(edits !== undefined),
  },
  {
    refused: "`safeguards` without a flag",
    models: every,
    unless: [dangerousToolUse],
    words: "safeguards: Extra inputs are not permitted",
    source: "LiteLLM's probes of bedrock-mantle",
    day: "2026-09-21",
    find: ({ safeguards }) => when(safeguards !== undefined),
  },
  {
    refused: "progress updates in place of thinking without a flag",
    models: every,
    unless: [displayUpdates],
    words: "thinking.{type}.display: Input should be 'summarized', 'omitted'",
    source: "zeroclaw-labs/zeroclaw#10617",
    day: "2026-11-21",
    find: ({ thinking }) => shownThinking(thinking, "display", "updates"),
  },
  {
    refused: "`thinking.block_binding` without a flag",
    models: every,
    unless: [bindingControls],
    words: "thinking.{type}.block_binding: Extra inputs are not permitted",
    source: "Wei-Shaw/sub2api#6677",
    day: "2026-11-21",
    find: ({ thinking }) => shownThinking(thinking, "block_binding"),
  },
  ...deferredTools,
  {
    refused: "the effort of a turn without a flag",
    models: every,
    unless: [messageOutputConfig, perTurnControl],
    words: "messages.{message}.output_config: Extra inputs are not permitted",
    source: "diegosouzapw/OmniRoute#14746",
    day: "2026-11-21",
    find: ({ messages }) => at("message", messages, (turn) => turn.role === "system" && Boolean(turn.output_config)),
  },
  {
    refused: "tools that come or go between turns without a flag",
    models: every,
    unless: [toolChanges],
    words:
      "messages.{message}.content.{block}: Input tag '{type}' found using 'type' does not match any of the expected tags: 'text'",
    source: "diegosouzapw/OmniRoute#14746",
    day: "2026-11-21",
    find: ({ messages }) => {
      const changes = messages.flatMap(({ role, content }, message) =>
        role === "system" && typeof content !== "string"
          ? content.map(({ type }, block) => ({ message, block, type: `${type}` }))
          : [],
      );
      return changes.find(({ type }) => type === "tool_addition" || type === "tool_removal");
    },
  },
];

function at<Part>(name: string, parts: readonly Part[], refused: (part: Part) => boolean): Particulars | undefined {
  const index = parts.findIndex(refused);
  return index < 0 ? undefined : { [name]: index };
}

function shownThinking(thinking: object | undefined, field: string, value?: string): Particulars | undefined {
  const { type, [field]: given } = (thinking ?? {}) as Record<string, unknown>;
  return given && (value === undefined || given === value) ? { type: String(type) } : undefined;
}
