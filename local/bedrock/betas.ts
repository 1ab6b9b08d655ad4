// The beta flags that Bedrock's InvokeModel accepts in `anthropic_beta`; any other one is `invalid beta flag`.

/**
 * After the map that public gateways keep for InvokeModel (November 2026); it changes monthly. Sources disagree on
 * interleaved thinking, which is taken here.
 */
export const knownBetas: ReadonlySet<string> = new Set([
  "compact-2026-01-12",
  "computer-use-2025-01-24",
  "computer-use-2025-11-24",
  "context-1m-2025-08-07",
  "context-management-2025-06-27",
  "dangerous-tool-use-2026-09-03",
  "effort-2025-11-24",
  "fine-grained-tool-streaming-2025-05-14",
  "interleaved-thinking-2025-05-14",
  "mid-conversation-output-config-2026-07-01",
  "mid-conversation-tool-changes-2026-07-01",
  "thinking-binding-controls-2026-08-01",
  "thinking-display-updates-2026-08-18",
  "tool-search-tool-2025-10-19",
]);

/** Fields of the body that need one of these flags. */
export const fieldBetas: Record<string, string[]> = {
  context_management: ["context-management-2025-06-27", "compact-2026-01-12"],
};

/** Fields of a tool that need one of these flags. `eager_input_streaming` is refused with any flag. */
export const toolFieldBetas: Record<string, string[]> = {
  allowed_callers: ["tool-search-tool-2025-10-19"],
  defer_loading: ["tool-search-tool-2025-10-19"],
  input_examples: ["tool-search-tool-2025-10-19"],
};
