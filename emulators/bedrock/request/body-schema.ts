// The shape of an InvokeModel body for Claude models: the Messages API without `model` and `stream`, as Bedrock takes it.
import * as z from "zod";
import { cached, effort, message, text } from "./message-schema.ts";
import { type Tool, toolChoice } from "./tool-schema.ts";

/** `display: "updates"` and `block_binding` are taken only with their flags (`beta-rules.ts`). */
const shownThinking = {
  display: z.enum(["summarized", "omitted", "updates"]).nullish(),
  block_binding: z.strictObject({ prefix_mismatch_behavior: z.enum(["error", "drop_block"]).nullish() }).nullish(),
};

/** The forms of `thinking` by `type`. `disabled` takes no `display` (anthropics/claude-code#69618). */
export const thinkingForms = {
  enabled: z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024), ...shownThinking }),
  adaptive: z.strictObject({ type: z.literal("adaptive"), ...shownThinking }),
  between_tools: z.strictObject({ type: z.literal("between_tools") }),
  disabled: z.strictObject({ type: z.literal("disabled") }),
};

/**
 * Edits that Bedrock knows. Gateways take `clear_thinking_20251015` out of what goes there (BerriAI/litellm#27532, its pull
 * request 23523).
 */
const edit = z.discriminatedUnion("type", [
  z.looseObject({ type: z.enum(["clear_tool_uses_20250919", "compact_20260112"]) }),
]);

export const bodySchema = z.strictObject({
  anthropic_version: z.enum(["bedrock-2023-05-31", "2026-10-21"]),
  anthropic_beta: z.array(z.string()).optional(),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1, "at least one message is required"),
  system: z.union([z.string(), z.array(text)]).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  /** Tools, each of which `customTool` or `clientTool` reads. */
  tools: z.array(z.unknown()).optional(),
  tool_choice: toolChoice.optional(),
  /** One of `thinkingForms` reads it. */
  thinking: z.unknown().optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  /** `task_budget` needs a flag that Bedrock does not know, so it is an extra input. */
  output_config: z.strictObject({ format: z.looseObject({ type: z.string() }).nullish(), effort }).optional(),
  /** `safeguards` is refused without its flag (`beta-rules.ts`), as LiteLLM's probes of bedrock-mantle showed on 2026-09-21. */
  safeguards: z.array(z.looseObject({ type: z.literal("dangerous_tool_use") })).optional(),
  context_management: z.looseObject({ edits: z.array(edit).optional() }).optional(),
  /** Automatic caching: a breakpoint after the last block. */
  ...cached,
});

export type Thinking = {
  [Form in keyof typeof thinkingForms]: z.output<(typeof thinkingForms)[Form]>;
}[keyof typeof thinkingForms];

export type RequestBody = Omit<z.output<typeof bodySchema>, "tools" | "thinking"> & {
  tools?: Tool[] | undefined;
  thinking?: Thinking | undefined;
};
