// What Amazon Bedrock's InvokeModel takes and refuses, as far as it is known (2026-11). Sources: LiteLLM's beta map and
// issues, Anthropic's pages on Bedrock. It changes monthly.
import type { BetaRule, Capabilities, RefusedField } from "./capability.ts";

const toolSearch = "tool-search-tool-2025-10-19";
const contextManagement = "context-management-2025-06-27";
const compaction = "compact-2026-01-12";
const effort = "effort-2025-11-24";

const betas: Record<string, BetaRule> = {
  [compaction]: "pass",
  "computer-use-2025-01-24": "pass",
  "computer-use-2025-11-24": "pass",
  "context-1m-2025-08-07": "pass",
  [contextManagement]: "pass",
  "dangerous-tool-use-2026-09-03": "pass",
  [effort]: "pass",
  "fine-grained-tool-streaming-2025-05-14": "pass",
  "thinking-binding-controls-2026-08-01": "pass",
  "thinking-display-updates-2026-08-18": "pass",
  [toolSearch]: "pass",
  "mid-conversation-output-config-2026-07-01": "pass",
  "mid-conversation-tool-changes-2026-07-01": "pass",

  "advanced-tool-use-2025-11-20": { rename: toolSearch },

  "advisor-tool-*": "drop",
  "claude-code-*": "drop",
  "code-execution-*": "drop",
  "fast-mode-*": "drop",
  "files-api-*": "drop",
  // Contradictory: dropped for InvokeModel by LiteLLM's map, passed for the native endpoint.
  "interleaved-thinking-2025-05-14": "drop",
  "mcp-client-*": "drop",
  "mcp-servers-*": "drop",
  "oauth-*": "drop",
  "output-128k-*": "drop",
  "per-turn-control-*": "drop",
  "prompt-caching-scope-*": "drop",
  "request-tags-*": "drop",
  "skills-*": "drop",
  "structured-outputs-2025-11-13": "drop",
  "token-efficient-tools-*": "drop",
  "web-fetch-*": "drop",
  "web-search-*": "drop",
};

/** On every model. Sampling parameters are not here: newer models refuse them at Anthropic too, so that 400 is the caller's. */
const refusedFields: RefusedField[] = [
  ..."betas container fallbacks inference_geo mcp_servers output_format service_tier speed tags"
    .split(" ")
    .map((path) => ({ path })),
  { path: "context_management", unless_betas: [contextManagement, compaction] },
  { path: "context_management.edits[]", type: "clear_thinking_20251015" },
  { path: "tools[].eager_input_streaming" },
  { path: "tools[].custom", unless_betas: [toolSearch] },
  { path: "tools[].defer_loading", unless_betas: [toolSearch] },
  { path: "messages[].content[].content[]", type: "tool_reference", unless_betas: [toolSearch] },
  { path: "tools[].cache_control.scope" },
  { path: "system[].cache_control.scope" },
  { path: "messages[].content[].cache_control.scope" },
  { path: "messages[].content[].content[].cache_control.scope" },
];

/** Automatic caching, which models with a version in their ARN (4.6 and older) do not know. */
const automaticCaching: RefusedField = { path: "cache_control" };

/**
 * Since Opus 4.7, and the 5th generation: a context of 1M tokens without a flag, which Opus 4.7 refuses.
 * CountTokens of bedrock-runtime does not serve models that launched behind cross-region profiles only.
 */
export const since47: Capabilities = {
  betas: { ...betas, "context-1m-2025-08-07": "drop" },
  refused_fields: refusedFields,
  count_tokens: { kind: "none" },
};

export const opus46: Capabilities = {
  betas,
  refused_fields: [...refusedFields, automaticCaching],
  count_tokens: { kind: "none" },
};

/** The one model whose tokens bedrock-runtime was last reported to count (LiteLLM #37102), under its bare id. */
export const sonnet46: Capabilities = {
  ...opus46,
  count_tokens: { kind: "runtime", model_id: "anthropic.claude-sonnet-4-6" },
};

/** The flag for 1M tokens goes: the catalog's windows and prices are those of 200,000. */
const before46: Capabilities = { ...opus46, betas: since47.betas };

export const opus45: Capabilities = {
  ...before46,
  refused_fields: [...before46.refused_fields, { path: "output_config", unless_betas: [effort] }],
};

export const sonnetAndHaiku45: Capabilities = {
  ...before46,
  refused_fields: [...before46.refused_fields, { path: "output_config" }],
};
