// The capabilities of the models on Amazon Bedrock's InvokeModel, as far as they are known. They change monthly, so each flag says
// where it was read and when; a stack replaces the table with `archway:catalog`.
import { type BetaEntry, type BetaRule, bindingControls, type Capabilities, type RefusedField } from "./capability.ts";
import type { Counting } from "./counting.ts";

const toolSearch = "tool-search-tool-2025-10-19";
const contextManagement = "context-management-2025-06-27";
const compaction = "compact-2026-01-12";
const displayUpdates = "thinking-display-updates-2026-08-18";
const safeguards = "dangerous-tool-use-2026-09-03";
const taskBudgets = "task-budgets-2026-03-13";
const clearAt = "mid-conversation-system-clear-at-2026-08-21";
const compactionRequests = "compact-2026-09-04";
const effort = "effort-2025-11-24";
const perTurnControl = "per-turn-control-2026-07-01";
const turnOutputConfig = "mid-conversation-output-config-2026-07-01";
const toolChanges = "mid-conversation-tool-changes-2026-07-01";

/** The map that LiteLLM keeps for InvokeModel. */
const litellm = "LiteLLM, anthropic_beta_headers_config.json, bedrock";
/** The source of flags that clients were seen to send, and that could be left out without harm. */
const clients = "unmodified clients against the proxy; not in LiteLLM's map, which forwards listed flags only";

/** The recording is kept in test/clients/bedrock-mode.json. */
const claudeCode = "Claude Code 2.1.197 and 2.1.330 with CLAUDE_CODE_USE_BEDROCK=1: what it sends to InvokeModel";

const read = (rule: BetaRule, source: string, date: string): BetaEntry => ({ rule, source, date });
const passed = read("pass", litellm, "2026-11-20");
const dropped = read("drop", litellm, "2026-11-20");
const unknownToTheHost = read("drop", clients, "2026-11-21");

const betas: Record<string, BetaEntry> = {
  [compaction]: passed,
  [compactionRequests]: read("pass", "LiteLLM 1.110.2, anthropic_beta_headers_config.json, bedrock", "2026-11-27"),
  "computer-use-2025-01-24": passed,
  "computer-use-2025-11-24": passed,
  "context-1m-2025-08-07": passed,
  [contextManagement]: passed,
  [effort]: passed,
  "fine-grained-tool-streaming-2025-05-14": passed,
  [turnOutputConfig]: passed,
  [toolChanges]: passed,
  [bindingControls]: passed,
  [displayUpdates]: passed,
  [toolSearch]: passed,

  // LiteLLM's map says null, and it passes for bedrock_mantle.
  "interleaved-thinking-2025-05-14": read("pass", claudeCode, "2026-11-22"),

  "advanced-tool-use-2025-11-20": read({ rename: toolSearch }, litellm, "2026-11-20"),
  // LiteLLM drops the flag of per-turn control. Claude Code sends under it what other clients send under the name that the host takes.
  [perTurnControl]: read({ rename: turnOutputConfig }, "Claude Code 2.1.330, /effort; pi 0.87.1", "2026-11-22"),

  // LiteLLM passes the flag of safeguards. No call to AWS was seen with it in any region.
  [safeguards]: read("try", "LiteLLM, docs, claude_code_auto_mode: Bedrock answers for InvokeModel", "2026-11-22"),

  // Sent by SDKs and agents; no list says whether the host takes them, so each goes first, with its field, if the host refuses flags.
  [taskBudgets]: read("try", "@anthropic-ai/sdk 1.14.0, Agent SDK 0.3.332, AI SDK 7", "2026-11-27"),
  [clearAt]: read("try", "@anthropic-ai/sdk 1.14.0, Claude Code 2.1.332", "2026-11-27"),

  "advisor-tool-*": dropped,
  "claude-code-*": dropped,
  "claude-code-20250219": dropped,
  "code-execution-*": dropped,
  "fast-mode-*": dropped,
  "fast-mode-2026-02-01": dropped,
  "files-api-*": dropped,
  "mcp-client-*": dropped,
  "mcp-client-2025-11-20": dropped,
  "mcp-servers-*": dropped,
  "oauth-*": dropped,
  "output-128k-*": dropped,
  "per-turn-control-*": dropped,
  "prompt-caching-scope-*": dropped,
  "prompt-caching-scope-2026-01-05": dropped,
  "request-tags-*": dropped,
  "skills-*": dropped,
  "skills-2025-10-02": dropped,
  "structured-outputs-2025-11-13": dropped,
  "token-efficient-tools-*": dropped,
  "web-fetch-*": dropped,
  "web-search-*": dropped,

  // The feature of each flag works on the host without the flag, or is refused by its field.
  "afk-mode-2026-01-31": unknownToTheHost,
  "extended-cache-ttl-2025-04-11": unknownToTheHost,
  "fallback-credit-2026-06-01": unknownToTheHost,
  "message-threads-2026-08-12": unknownToTheHost,
  "mid-conversation-system-2026-04-07": read(
    "drop",
    "LiteLLM PRs 32578, 32831, 32882: the host takes the turns themselves, from Opus 4.8 on",
    "2026-11-21",
  ),
  "pdfs-2024-09-25": unknownToTheHost,
  "prompt-caching-2024-07-31": unknownToTheHost,
  "structured-outputs-2025-12-15": unknownToTheHost,
  "thinking-token-count-2026-05-13": unknownToTheHost,
  "token-counting-2024-11-01": unknownToTheHost,
};

const elsewhere = (reason: string) => ({ reason, code: "invalid_request" as const });
const serverTool = elsewhere("it runs on the vendor's servers, which the model host does not have");

/** The places of pictures and documents: in a message or in a tool's result, and one level deeper in a document of parts. */
const fetchedSources = ["messages[].content[]", "messages[].content[].content[]"].flatMap((path) => [
  `${path}.source`,
  `${path}.source.content[].source`,
]);

/** Fields that are refused by name: without them the answer would mean something else. */
const refusedByName: RefusedField[] = [
  // The SDK goes on without a thread at this code; without the field the history would be lost (SDK issues 2651 to 2654).
  {
    path: "thread",
    refusal: { reason: "the model host keeps no threads: send all messages", code: "thread_unsupported_request" },
  },
  { path: "container", refusal: elsewhere("the model host has no containers and no skills") },
  { path: "mcp_servers", refusal: elsewhere("the model host calls no MCP servers") },
  ...["advisor_*", "code_execution_*", "mcp_toolset", "web_fetch_*", "web_search_*"].map((type) => ({
    path: "tools[]",
    type,
    if_offered: true as const,
    refusal: serverTool,
  })),
  ...fetchedSources.flatMap((path) => [
    { path, type: "url", refusal: elsewhere("the model host fetches nothing: send the content itself, as base64") },
    { path, type: "file", refusal: elsewhere("the model host keeps no files: send the content itself, as base64") },
  ]),
];

/** The parts of a `system` turn, beside its text, that a model may refuse. */
const ofSystemTurns: RefusedField[] = [
  { path: "messages[].output_config" },
  { path: "messages[].content[]", type: "tool_addition" },
  { path: "messages[].content[]", type: "tool_removal" },
];

/**
 * Models since 4.7 take no sampling parameter. At Anthropic they take each one's default, which changes nothing, and refuse other
 * values, so that 400 is the caller's (platform.claude.com, "Migrating to Claude Opus 5.5": "any non-default value", 2026-10).
 */
const defaultSampling: RefusedField[] = ["temperature", "top_p"].map((path) => ({ path, value: 1 }));

/** Fields that every model refuses. */
const refusedFields: RefusedField[] = [
  ...refusedByName,
  ..."betas diagnostics fallback_credit_token fallbacks inference_geo service_tier speed tags user_profile_id"
    .split(" ")
    .map((path) => ({ path })),
  {
    path: "compaction",
    unless_betas: [compactionRequests],
    refusal: elsewhere(`it needs the flag ${compactionRequests}, and a model host that takes it`),
  },
  { path: "output_config.task_budget", unless_betas: [taskBudgets] },
  { path: "messages[].clear_at", unless_betas: [clearAt] },
  { path: "context_management", unless_betas: [contextManagement, compaction] },
  { path: "context_management.edits[]", type: "clear_thinking_20251015" },
  { path: "safeguards", unless_betas: [safeguards] },
  { path: "thinking.display", value: "updates", unless_betas: [displayUpdates] },
  { path: "thinking.block_binding", unless_betas: [bindingControls] },
  ...ofSystemTurns.map((field) => ({ ...field, unless_betas: [field.type ? toolChanges : turnOutputConfig] })),
  { path: "tools[].eager_input_streaming" },
  { path: "tools[].custom", unless_betas: [toolSearch] },
  ...["allowed_callers", "defer_loading", "input_examples"].map((name) => ({
    path: `tools[].${name}`,
    unless_betas: [toolSearch],
  })),
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

/** Models of 4.6 and older may refuse this version with 400 (the same page). */
const since47Versions: Capabilities["api_versions"] = {
  "2026-10-21": {
    source:
      "platform.claude.com/docs/en/api/versioning: on Bedrock for models from 4.7 on; bedrock-sdk 1.1.3 writes it into the body",
    date: "2026-11-27",
  },
};

/**
 * Since Opus 4.7, and the 5th generation: a context of 1M tokens without a flag, which Opus 4.7 refuses. `system` turns are
 * taken from Opus 4.8 on (LiteLLM PRs 32578, 32831, 32882).
 */
export const since47: Capabilities = {
  betas: {
    ...betas,
    "context-1m-2025-08-07": read("drop", "LiteLLM: Opus 4.7 rejects it, 1M is native", "2026-11-20"),
  },
  api_versions: since47Versions,
  refused_fields: [...refusedFields, ...defaultSampling],
  system_turns: "pass",
  count_tokens: byMessages,
};

/** Opus 4.7 gets `system` turns as turns of the user, which may not hold what only a `system` turn may. */
export const opus47: Capabilities = {
  ...since47,
  refused_fields: [...since47.refused_fields, ...ofSystemTurns],
  system_turns: "as_user",
};

export const opus46: Capabilities = {
  betas,
  api_versions: {},
  refused_fields: [...refusedFields, ...ofSystemTurns, automaticCaching],
  system_turns: "as_user",
  count_tokens: byRuntime,
};

/** The flag for 1M tokens goes: the catalog's windows and prices are those of 200,000. */
const before46: Capabilities = { ...opus46, betas: since47.betas };

/**
 * The generation 4.5 takes `format` of `output_config` (AWS, "structured output", InvokeModel; langchain-aws 883), and Opus alone takes
 * `effort`, with its flag (LiteLLM #22797).
 */
export const opus45: Capabilities = {
  ...before46,
  refused_fields: [...before46.refused_fields, { path: "output_config.effort", unless_betas: [effort] }],
};

export const sonnetAndHaiku45: Capabilities = {
  ...before46,
  refused_fields: [...before46.refused_fields, { path: "output_config.effort" }],
};
