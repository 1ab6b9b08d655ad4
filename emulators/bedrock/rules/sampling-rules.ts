// Sampling: temperature, top_p, top_k, and where an answer stops.
import { every, only, since, until, without } from "./model-group.ts";
import { type Rule, when } from "./rule.ts";

const reference = "platform.claude.com, API reference of Messages";
const deprecated = (field: string) => `\`${field}\` is deprecated for this model.`;

/** Fable's card is stricter about top_p than the vendor's reference: below 1. */
const fable = only("fable");

export const samplingRules: readonly Rule[] = [
  {
    refused: "a `temperature` other than 1",
    models: since("4.7"),
    words: deprecated("temperature"),
    source: `${reference}; words: anthropics/claude-code-action#1265, github/copilot-sdk#1557 (Bedrock)`,
    day: "2026-09-24",
    find: ({ temperature = 1 }) => when(temperature !== 1),
  },
  {
    refused: "a `top_p` below 0.99",
    models: without(since("4.7"), "fable"),
    words: deprecated("top_p"),
    source: `${reference}; words: by those of temperature`,
    day: "2026-09-24",
    find: ({ top_p = 1 }) => when(top_p < 0.99),
  },
  {
    refused: "a `top_p` below 0.99, or of 1",
    models: fable,
    words: deprecated("top_p"),
    source: "AWS, model card of Claude Fable 5; words: by those of temperature",
    day: "2026-11-27",
    find: ({ top_p = 0.99 }) => when(top_p < 0.99 || top_p === 1),
  },
  {
    refused: "`top_k`",
    models: since("4.7"),
    words: deprecated("top_k"),
    source: `${reference}; words: by those of temperature`,
    day: "2026-09-24",
    find: ({ top_k }) => when(top_k !== undefined),
  },
  {
    refused: "`temperature` with `top_p`",
    models: until("4.6"),
    words: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    source:
      "BerriAI/litellm#15070, aws-samples/bedrock-access-gateway#191 and #208, skydiscover-ai/skydiscover#15 (Bedrock)",
    day: "2026-03-10",
    find: ({ temperature, top_p }) => when(temperature !== undefined && top_p !== undefined),
  },
  {
    refused: "a stop sequence of white space",
    models: every,
    words: "stop_sequences: each stop sequence must contain non-whitespace",
    source: "BerriAI/litellm#3286",
    day: "2024-04-25",
    find: ({ stop_sequences: sequences = [] }) => when(sequences.some((sequence) => sequence.trim() === "")),
  },
];
