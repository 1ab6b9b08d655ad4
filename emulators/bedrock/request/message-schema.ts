// The shape of one message of an InvokeModel body: its role, its blocks, and what a system turn may carry.
import * as z from "zod";

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });

export const cached = { cache_control: cacheControl.nullish() };

/** The effort of a whole answer, or in a system turn of one answer (vendor's SDK 1.11, `BetaOutputConfig`). */
export const effort = z.enum(["low", "medium", "high", "xhigh", "max"]).nullish();

const any = z.unknown().optional();
const nonEmpty = z.string().min(1, "text content blocks must be non-empty");
/** Blocks that the host reads take no further fields (anthropics/claude-code#12122, #33229); those are of the vendor's SDK 1.14. */
export const text = z.strictObject({ type: z.literal("text"), text: nonEmpty, citations: any, ...cached });
const base64Source = z.looseObject({ type: z.literal("base64") });
const textSource = z.looseObject({ type: z.literal("text") });
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const image = z.strictObject({ type: z.literal("image"), source: base64Source, transformations: any, ...cached });
const partsSource = z.looseObject({
  type: z.literal("content"),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image]))]),
});
const document = z.strictObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [base64Source, textSource, partsSource]),
  citations: any,
  context: any,
  title: any,
  ...cached,
});

/** Blocks that the host passes to the model as they are (vendor's SDK 1.14, `BetaContentBlockParam`). */
const opaque = z.looseObject({
  type: z.enum([
    ...(["redacted_thinking", "search_result", "tool_reference", "compaction", "browser_state"] as const),
    ...(["container_upload", "fallback", "mcp_tool_listing", "mcp_tool_use", "mcp_tool_result"] as const),
    ...(["server_tool_use", "tool_search_tool_result", "web_search_tool_result", "web_fetch_tool_result"] as const),
    ...(["advisor_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result"] as const),
    "text_editor_code_execution_tool_result",
  ]),
});

const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  caller: any,
  toolset_name: any,
  ...cached,
});

const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image, document, opaque]))]).optional(),
  is_error: any,
  toolset_name: any,
  ...cached,
});

/** In system turns only. */
const toolChange = z.looseObject({ type: z.enum(["tool_addition", "tool_removal"]) });

const blocks = [text, image, document, thinking, opaque, toolUse, toolResult] as const;
const content = z.union([z.string(), z.array(z.discriminatedUnion("type", [...blocks]))]);

/** Its place and its blocks are for `message-rules.ts` to check. */
const systemTurn = z.strictObject({
  role: z.literal("system"),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [...blocks, toolChange]))]).default([]),
  output_config: z.strictObject({ effort }).nullish(),
});

export const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), content }),
  z.strictObject({ role: z.literal("assistant"), content }),
  systemTurn,
]);

export type CacheControl = z.output<typeof cacheControl>;
export type Message = z.output<typeof message>;
export type SystemTurn = z.output<typeof systemTurn>;
export type Block = Exclude<Message["content"], string>[number];
