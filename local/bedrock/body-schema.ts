// The shape of an InvokeModel body for Claude models: the Messages API without `model` and `stream`, as Bedrock takes it.
import * as z from "zod";

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });

const cached = { cache_control: cacheControl.nullish() };
const nonEmpty = z.string().min(1, "text content blocks must be non-empty");
const text = z.looseObject({ type: z.literal("text"), text: nonEmpty, ...cached });
const inlineSource = z.looseObject({ type: z.enum(["base64", "text", "content"]) });
const thinking = z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const opaque = z.looseObject({ type: z.enum(["redacted_thinking", "search_result", "tool_reference", "compaction"]) });
const image = z.looseObject({ type: z.literal("image"), source: inlineSource, ...cached });
const document = z.looseObject({ type: z.literal("document"), source: inlineSource, ...cached });

const toolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  ...cached,
});

const toolResult = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image, document, opaque]))]).optional(),
  ...cached,
});

const block = z.discriminatedUnion("type", [text, image, document, thinking, opaque, toolUse, toolResult]);

export const customTool = z.strictObject({
  type: z.literal("custom").optional(),
  name: z.string().min(1).max(128),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().optional(),
  allowed_callers: z.array(z.string()).optional(),
  defer_loading: z.boolean().optional(),
  input_examples: z.array(z.unknown()).optional(),
  ...cached,
});

/** Tools that the vendor defines and the client carries out. Those that run on the vendor's servers are not on Bedrock. */
export const clientTool = z.looseObject({
  type: z.string().regex(/^(bash|computer|memory|text_editor|tool_search_tool)_/),
  name: z.string(),
  ...cached,
});

const toolChoice = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auto"), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("any"), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("none") }),
]);

export const bodySchema = z.strictObject({
  anthropic_version: z.literal("bedrock-2023-05-31"),
  anthropic_beta: z.array(z.string()).optional(),
  max_tokens: z.int().min(1),
  messages: z
    .array(z.looseObject({ role: z.enum(["user", "assistant"]), content: z.union([z.string(), z.array(block)]) }))
    .min(1, "at least one message is required"),
  system: z.union([z.string(), z.array(text)]).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  tools: z.array(z.unknown()).optional(),
  tool_choice: toolChoice.optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024) }),
      z.looseObject({ type: z.literal("adaptive") }),
      z.looseObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  output_config: z
    .looseObject({ format: z.looseObject({ type: z.string() }).nullish(), effort: z.string().optional() })
    .optional(),
  context_management: z.looseObject({}).optional(),
  /** Automatic caching: a breakpoint after the last block. */
  ...cached,
});

export type Tool = z.output<typeof customTool> | z.output<typeof clientTool>;
export type CacheControl = z.output<typeof cacheControl>;
export type Block = z.output<typeof block>;
export type RequestBody = Omit<z.output<typeof bodySchema>, "tools"> & { tools?: Tool[] | undefined };
