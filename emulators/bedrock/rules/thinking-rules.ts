// Thinking and effort: which form of `thinking` a model takes, and with what else.
import { every, only, since, until, without } from "./model-group.ts";
import { type Rule, when } from "./rule.ts";

const probes = "A public gateway's probes of Bedrock (its tests of `global.anthropic.*`)";
const adaptiveOnly = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';

export const thinkingRules: readonly Rule[] = [
  {
    refused: "thinking with a budget",
    models: since("4.7"),
    words: `"thinking.type.enabled" is not supported for this model. ${adaptiveOnly}`,
    source: "anthropics/claude-code-action#1265; AAClause/nvda-OpenAI#126",
    day: "2026-07-02",
    find: ({ thinking }) => when(thinking?.type === "enabled"),
  },
  {
    refused: "adaptive thinking",
    models: until("4.5"),
    words: "adaptive thinking is not supported on this model",
    source: "BerriAI/litellm#22797",
    day: "2026-11-20",
    find: ({ thinking }) => when(thinking?.type === "adaptive"),
  },
  {
    refused: "thinking switched off",
    models: only("opus-5-5", "fable"),
    words: `"thinking.type.disabled" is not supported for this model. ${adaptiveOnly}`,
    source: `${probes}; AWS, model cards of Fable 5 to 5.2`,
    day: "2026-10-08",
    find: ({ thinking }) => when(thinking?.type === "disabled"),
  },
  {
    // Anthropic's own API has other words: `"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" ...`.
    refused: "thinking switched off, where it can be kept between tools",
    models: only("sonnet-5-5"),
    words:
      'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of {"type": "disabled"}. The model does not think before responding.',
    source: probes,
    day: "2026-10-08",
    find: ({ thinking }) => when(thinking?.type === "disabled"),
  },
  {
    refused: "thinking between tools",
    models: without(every, "sonnet-5-5"),
    words: '"thinking.type.between_tools" is not supported for this model.',
    source: `A probe of every active model: Sonnet 5.5 alone takes it; words: ${probes}`,
    day: "2026-09-29",
    find: ({ thinking }) => when(thinking?.type === "between_tools"),
  },
  {
    refused: "thinking between tools with an effort above `high`",
    models: only("sonnet-5-5"),
    words:
      "output_config.effort '{effort}' is not supported when thinking is between_tools on this model. Use effort 'high' or below.",
    wordsAreOurs: true,
    source: "platform.claude.com, migration guide of Claude Sonnet 5.5",
    day: "2026-09-29",
    find: ({ thinking, output_config }) => highEffort(output_config?.effort, thinking?.type === "between_tools"),
  },
  {
    refused: "thinking switched off with an effort above `high`",
    models: only("opus-5", "haiku-5-5"),
    words:
      "output_config.effort '{effort}' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.",
    source: "anthropics/claude-code#81084 and #84844 for Opus 5; docs.apiyi.com, guide to thinking, for Haiku 5.5",
    day: "2026-11-09",
    find: ({ thinking, output_config }) => highEffort(output_config?.effort, thinking?.type === "disabled"),
  },
  {
    refused: "`output_config.effort`",
    models: without(until("4.5"), "opus-4-5"),
    words: "output_config: Extra inputs are not permitted",
    source: "BerriAI/litellm#22797",
    day: "2026-11-20",
    find: ({ output_config }) => when(Boolean(output_config?.effort)),
  },
  {
    refused: "`output_config.effort` without a flag",
    models: only("opus-4-5"),
    unless: ["effort-2025-11-24"],
    words: "output_config: Extra inputs are not permitted",
    source: 'BerriAI/litellm#22797; platform.claude.com, "What\'s new in Claude 4.5"',
    day: "2026-11-20",
    find: ({ output_config }) => when(Boolean(output_config?.effort)),
  },
  {
    // With interleaved thinking the budget is that of a whole turn, of several calls.
    refused: "a budget of thinking that `max_tokens` does not exceed",
    models: every,
    unless: ["interleaved-thinking-2025-05-14"],
    words: "`max_tokens` must be greater than `thinking.budget_tokens`.",
    source: "platform.claude.com, extended thinking",
    day: "2026-09-17",
    find: ({ thinking, max_tokens }) => when(thinking?.type === "enabled" && max_tokens <= thinking.budget_tokens),
  },
  {
    // Bedrock takes adaptive thinking with a forced tool (langchain-ai/langchain-aws#1141).
    refused: "thinking with a budget, and a forced tool",
    models: every,
    words: "Thinking may not be enabled when tool_choice forces tool use.",
    source: "langchain-ai/langchain-aws#640; platform.claude.com, extended thinking",
    day: "2025-09-17",
    find: ({ thinking, tool_choice: choice }) =>
      when(thinking?.type === "enabled" && (choice?.type === "any" || choice?.type === "tool")),
  },
  {
    refused: "a `temperature` other than 1 with thinking",
    models: until("4.6"),
    words:
      "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    source: "mnfst/modelparams.dev#214",
    day: "2026-08-09",
    find: ({ thinking, temperature = 1 }) =>
      when(temperature !== 1 && thinking !== undefined && thinking.type !== "disabled"),
  },
];

const highEffort = (effort: string | null | undefined, applies: boolean) =>
  applies && (effort === "xhigh" || effort === "max") ? { effort } : undefined;
