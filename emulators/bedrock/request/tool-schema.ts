// The shapes of tools and of the choice among them.
import * as z from "zod";
import { cached } from "./message-schema.ts";

export const customTool = z.strictObject({
  type: z.literal("custom").nullish(),
  name: z.string().min(1).max(128),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().optional(),
  allowed_callers: z.array(z.string()).optional(),
  defer_loading: z.boolean().optional(),
  input_examples: z.array(z.unknown()).optional(),
  ...cached,
});

/**
 * Tools that the vendor defines and the client carries out (vendor's SDK 1.11, `BetaToolUnion`). Those that run on the
 * vendor's servers are not on Bedrock (Anthropic's page on Bedrock, "Features not supported").
 */
export const clientToolTypes = [
  "bash_20241022",
  "bash_20250124",
  "computer_20241022",
  "computer_20250124",
  "computer_20251124",
  "memory_20250818",
  "text_editor_20241022",
  "text_editor_20250124",
  "text_editor_20250429",
  "text_editor_20250728",
  "tool_search_tool_bm25",
  "tool_search_tool_bm25_20251119",
  "tool_search_tool_regex",
  "tool_search_tool_regex_20251119",
];

const any = z.unknown().optional();
/** With the settings that one type or another has (vendor's SDK 1.14). */
export const clientTool = z.strictObject({
  type: z.enum(clientToolTypes),
  name: z.string(),
  allowed_callers: any,
  configs: any,
  defer_loading: any,
  display_height_px: any,
  display_number: any,
  display_width_px: any,
  enable_zoom: any,
  input_examples: any,
  max_characters: any,
  strict: any,
  ...cached,
});

/** Sets of tools, which have no name (vendor's SDK 1.14). Here a set goes by its type. */
export const toolsetTypes = ["browser_toolset_20260801", "computer_toolset_20260801"];

export const toolset = z
  .looseObject({ type: z.enum(toolsetTypes), ...cached })
  .transform((set) => ({ ...set, name: set.type }));

export const toolChoice = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auto"), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("any"), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use: z.boolean().optional() }),
  z.strictObject({ type: z.literal("none") }),
]);

export type Tool = z.output<typeof customTool | typeof clientTool | typeof toolset>;
