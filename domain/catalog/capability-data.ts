// What Amazon Bedrock's InvokeModel takes and refuses, as far as it is known (2026-11). Sources: LiteLLM's beta map and
// issues, Anthropic's pages on Bedrock. It changes monthly.
import type { BetaRule, Capabilities, RefusedField } from "./capability.ts";
import type { Counting } from "./counting.ts";

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
 * CountTokens in the region asked, under the bare id. AWS's page names models up to 4 only; gateways count with it up to 4.6
 * (PostHog #70515 for Sonnet 4.6, alchemy.run for Haiku 4.5), while LiteLLM #32683 was refused in eu-central-1.
 */
const byRuntime: Counting = {
  "eu-central-1": { endpoint: "runtime", region: "eu-central-1" },
  "eu-central-2": { endpoint: "runtime", region: "eu-central-2" },
  "us-east-1": { endpoint: "runtime", region: "us-east-1" },
};

/**
 * CountTokens refuses what launched behind cross-region profiles only; AWS's page on it sends those to bedrock-mantle (its
 * note of 2026-05). In Europe these models are on it in eu-west-1 and eu-north-1, which `eu.` profiles reach anyway
 * (platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock, "Regions", 2026-08).
 */
const byMessages: Counting = {
  "eu-central-1": { endpoint: "messages", region: "eu-west-1" },
  "eu-central-2": { endpoint: "messages", region: "eu-west-1" },
  "us-east-1": { endpoint: "messages", region: "us-east-1" },
};

/** Since Opus 4.7, and the 5th generation: a context of 1M tokens without a flag, which Opus 4.7 refuses. */
export const since47: Capabilities = {
  betas: { ...betas, "context-1m-2025-08-07": "drop" },
  refused_fields: refusedFields,
  count_tokens: byMessages,
};

export const opus46: Capabilities = {
  betas,
  refused_fields: [...refusedFields, automaticCaching],
  count_tokens: byRuntime,
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
