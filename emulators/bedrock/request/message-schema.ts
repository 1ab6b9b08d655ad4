// The shape of one message of an InvokeModel body: its role, its blocks, and what a system turn may carry.
import * as z from "zod";

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });

export const cached = { cache_control: cacheControl.nullish() };

/** The effort of a whole answer, or in a system turn of one answer (vendor's SDK 1.11, `BetaOutputConfig`). */
export const effort = z.enum(["low", "medium", "high", "xhigh", "max"]).nullish();

const nonEmpty = z.string().min(1, "text content blocks must be non-empty");
export const text = z.looseObject({ type: z.literal("text"), text: nonEmpty, ...cached });
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

/** In system turns only. */
const toolChange = z.looseObject({ type: z.enum(["tool_addition", "tool_removal"]) });

const blocks = [text, image, document, thinking, opaque, toolUse, toolResult] as const;
const content = z.union([z.string(), z.array(z.discriminatedUnion("type", [...blocks]))]);

/** Which blocks stand in a system turn, and where it stands, is for `system-turns.ts` to check. */
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
