// An example for each rule of the host: a request that breaks only this rule, with a model that has it.
import {
  anywhere,
  asking,
  assistant,
  document,
  type Example,
  hi,
  latest,
  marked,
  picture,
  result,
  system,
  talk,
  text,
  thinking,
  thought,
  use,
  user,
  weather,
  withTools,
} from "./bodies.ts";
import { toolExamples } from "./tool-examples.ts";

const sonnet5 = "claude-sonnet-5";
const opus45 = "claude-opus-4-5-20251101-v1:0";
const sonnet45 = "claude-sonnet-4-5-20250929-v1:0";
const opus46 = "claude-opus-4-6-v1";

/** The host wrote this signature in another conversation. */
const bound = Buffer.from("anthropic.claude-fable-5-2 AAAAAAAAAAAA ").toString("base64");

export const examples: Record<string, Example> = {
  "a beta flag that the host does not know": { model: sonnet5, body: asking({ anthropic_beta: ["new-2027-01-01"] }) },
  "the flag for a context of 1M tokens": {
    model: "claude-opus-4-7",
    body: asking({ anthropic_beta: ["context-1m-2025-08-07"] }),
    taker: sonnet45,
  },
  "`context_management` without a flag": { model: sonnet5, body: asking({ context_management: { edits: [] } }) },
  "`safeguards` without a flag": { model: sonnet5, body: asking({ safeguards: [{ type: "dangerous_tool_use" }] }) },
  "progress updates in place of thinking without a flag": {
    model: sonnet5,
    body: asking(thinking("adaptive", { display: "updates" })),
    words: "thinking.adaptive.display: Input should be 'summarized', 'omitted'",
  },
  "`thinking.block_binding` without a flag": {
    model: sonnet5,
    body: asking(thinking("adaptive", { block_binding: {} })),
    words: "thinking.adaptive.block_binding: Extra inputs are not permitted",
  },
  ...Object.fromEntries(
    [
      ["allowed_callers", ["direct"]],
      ["defer_loading", true],
      ["input_examples", [{}]],
    ].map(([field, value]) => [
      `\`tools[].${field}\` without a flag`,
      {
        model: sonnet5,
        body: asking({ tools: [weather, { ...weather, name: "other", [String(field)]: value }] }),
        words: `tools.1.custom.${field}: Extra inputs are not permitted`,
      },
    ]),
  ),
  "the effort of a turn without a flag": {
    model: sonnet5,
    body: talk(hi, system([], { output_config: { effort: "low" } })),
    words: "messages.1.output_config: Extra inputs are not permitted",
  },
  "tools that come or go between turns without a flag": {
    model: sonnet5,
    body: talk(hi, system([text("a"), { type: "tool_removal", tool_name: "x" }])),
    words:
      "messages.1.content.1: Input tag 'tool_removal' found using 'type' does not match any of the expected tags: 'text'",
  },
  "version 2026-10-21": { model: opus46, body: asking(latest), taker: sonnet5 },
  ...Object.fromEntries(
    [
      ["temperature", 1],
      ["top_p", 0.99],
    ].map(([field, value]) => [
      `\`${field}\` with version 2026-10-21, also its default`,
      { model: sonnet5, body: asking({ ...latest, [String(field)]: value }) },
    ]),
  ),
  "a document in an answer, with version 2026-10-21": {
    model: sonnet5,
    body: asking({ ...latest, messages: [hi, assistant(text("A"), document), hi] }),
    words: "messages.1.content.1: document blocks are not permitted in 'assistant' messages",
  },
  "citations of a user's text, with version 2026-10-21": {
    model: sonnet5,
    body: asking({ ...latest, messages: [user({ ...text("a"), citations: [{}] })] }),
    words: "messages.0.content.0.text.citations: Extra inputs are not permitted",
  },
  "a `temperature` other than 1": { model: "claude-fable-5", body: asking({ temperature: 0.7 }), taker: opus46 },
  "a `top_p` below 0.99": { model: sonnet5, body: asking({ top_p: 0.98 }), taker: opus46 },
  "a `top_p` below 0.99, or of 1": { model: "claude-fable-5-2", body: asking({ top_p: 1 }), taker: sonnet5 },
  "`top_k`": { model: sonnet5, body: asking({ top_k: 5 }), taker: opus46 },
  "`temperature` with `top_p`": { model: sonnet45, body: asking({ temperature: 1, top_p: 0.99 }), taker: sonnet5 },
  "a stop sequence of white space": { model: sonnet5, body: asking({ stop_sequences: ["END", "\n"] }) },
  "thinking with a budget": {
    model: sonnet5,
    body: asking({ ...thinking("enabled", { budget_tokens: 1024 }), max_tokens: 2000 }),
    taker: opus46,
  },
  "adaptive thinking": { model: sonnet45, body: asking(thinking("adaptive")), taker: opus46 },
  "thinking switched off": { model: "claude-fable-5", body: asking(thinking("disabled")), taker: "claude-haiku-5-5" },
  "thinking switched off, where it can be kept between tools": {
    model: "claude-sonnet-5-5",
    body: asking(thinking("disabled")),
    taker: sonnet5,
  },
  "thinking between tools": {
    model: "claude-opus-5-5",
    body: asking(thinking("between_tools")),
    taker: "claude-sonnet-5-5",
  },
  "thinking between tools with an effort above `high`": {
    model: "claude-sonnet-5-5",
    body: asking({ ...thinking("between_tools"), output_config: { effort: "max" } }),
    words:
      "output_config.effort 'max' is not supported when thinking is between_tools on this model. Use effort 'high' or below.",
  },
  "thinking switched off with an effort above `high`": {
    model: "claude-opus-5",
    body: asking({ ...thinking("disabled"), output_config: { effort: "xhigh" } }),
    words:
      "output_config.effort 'xhigh' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.",
    taker: sonnet5,
  },
  "`output_config.effort`": {
    model: sonnet45,
    body: asking({ anthropic_beta: ["effort-2025-11-24"], output_config: { effort: "low" } }),
    taker: opus45,
  },
  "`output_config.effort` without a flag": {
    model: opus45,
    body: asking({ output_config: { effort: "low" } }),
    taker: opus46,
  },
  "a budget of thinking that `max_tokens` does not exceed": {
    model: opus46,
    body: asking({ ...thinking("enabled", { budget_tokens: 1024 }), max_tokens: 1024 }),
  },
  "thinking with a budget, and a forced tool": {
    model: opus46,
    body: asking({
      ...thinking("enabled", { budget_tokens: 1024 }),
      ...{ max_tokens: 2000, tools: [weather], tool_choice: { type: "any" } },
    }),
  },
  "a `temperature` other than 1 with thinking": {
    model: opus46,
    body: asking({ ...thinking("adaptive"), temperature: 0.5 }),
  },
  "`system` turns": { model: opus46, body: talk(hi, system("Be brief.")), taker: "claude-opus-4-8" },
  "`system` turns, in other words": {
    model: "claude-opus-4-7",
    body: talk(hi, system("Be brief.")),
    taker: "claude-opus-4-8",
  },
  "a `system` turn of nothing": {
    model: sonnet5,
    body: talk(hi, system([])),
    words: "messages.1: system content must contain at least one block",
  },
  "a block in a `system` turn that is neither text nor a change of tools": {
    model: sonnet5,
    body: talk(hi, system([picture("image/png", "AAAA")])),
    words: "messages.1: role 'system' supports text, tool_addition, and tool_removal blocks only",
  },
  "a `system` turn before all others": {
    model: sonnet5,
    body: talk(system("Be brief."), assistant(text("A")), hi),
    words: `messages.0: use the top-level 'system' parameter for the initial system prompt; ${anywhere}`,
  },
  "a `system` turn after an answer": {
    model: sonnet5,
    body: talk(hi, assistant(text("A")), system("Be brief."), assistant(text("B")), hi),
    words: `messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; ${anywhere}`,
  },
  "a `system` turn before a user's": {
    model: sonnet5,
    body: talk(hi, system("Be brief."), hi),
    words: `messages.1: role 'system' must precede an 'assistant' message or end the array; ${anywhere}`,
  },
  "a user's message of nothing": {
    model: sonnet5,
    body: talk(user()),
    words: "messages.0: user messages must have non-empty content",
  },
  "a text of white space": { model: sonnet5, body: talk(user(text(" \n"))) },
  "a prefilled answer": { model: opus46, body: talk(hi, assistant(text("{"))), taker: sonnet45 },
  "white space at the end of a prefilled answer": { model: sonnet45, body: talk(hi, assistant(text("{ "))) },
  ...toolExamples,
  "a picture of another type than JPEG, PNG, GIF and WebP": {
    model: sonnet5,
    body: withTools(
      hi,
      assistant(use("t1")),
      user({ ...result("t1"), content: [text("a"), picture("image/bmp", "AAAA")] }),
    ),
    words:
      "messages.2.content.0.tool_result.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  },
  "a document as base64 that is no PDF": {
    model: sonnet5,
    body: talk(
      user({ type: "document", source: { type: "base64", media_type: "text/plain", data: "AAAA" } }, text("a")),
    ),
    words: "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
  },
  "a picture without data": {
    model: sonnet5,
    body: talk(user(picture("image/png", ""))),
    words: "messages.0.content.0.image.source.base64: image cannot be empty",
  },
  "a picture whose data are no base64, such as a `data:` URL": {
    model: sonnet5,
    body: talk(user(text("a"), picture("image/png", "data:image/png;base64,AAAA"))),
    words: "messages.0.content.1.image.source.base64: invalid base64 data",
  },
  "citations together with a format": {
    model: sonnet5,
    body: asking({
      output_config: { format: { type: "json_schema", schema: {} } },
      messages: [user({ ...document, citations: { enabled: true } }, text("a"))],
    }),
  },
  "automatic caching (`cache_control` at the top)": {
    model: opus46,
    body: asking({ cache_control: { type: "ephemeral" } }),
    taker: sonnet5,
  },
  "more than four breakpoints": {
    model: sonnet5,
    body: talk(user(...Array(5).fill(marked("5m")))),
    words: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
  "a breakpoint of an hour after one of five minutes": {
    model: sonnet5,
    body: talk(user(marked("5m"), marked("1h"))),
  },
  "thinking without a signature": {
    model: sonnet45,
    body: thought(""),
    words: "messages.1.content.0.thinking.signature: Field required",
  },
  "thinking with a signature that the host did not write": {
    model: sonnet45,
    body: thought("EqQBCgIYAg"),
    words: "messages.1.content.0: Invalid `signature` in `thinking` block",
  },
  "thinking after something else than it was made after, unless the request asks to drop it": {
    model: "claude-fable-5-2",
    body: thought(bound),
    words:
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    taker: sonnet5,
  },
};
