// Bodies that have each kind of holder of fields, some of them twice, with a field added to all holders of one kind.

/** By name and type, as the host's paths name them; `:` is the body. */
export const holders = [
  ":",
  "tools:",
  "tools:bash_20250124",
  "system:text",
  "cache_control:ephemeral",
  "messages:user",
  "messages:assistant",
  "content:text",
  "content:thinking",
  "content:tool_use",
  "content:tool_result",
  "thinking:adaptive",
  "metadata:",
  "output_config:",
] as const;

/** @param thinking a block of the model's own, which has a signature; a made one otherwise */
export function bodyWith(holder: string, field: string, value: unknown, thinking?: object): object {
  const at = (where: string) => (where === holder ? { [field]: value } : {});
  const cache_control = { type: "ephemeral", ttl: "1h", ...at("cache_control:ephemeral") };
  const text = (words: string) => ({ type: "text", text: words, ...at("content:text") });
  const use = { type: "tool_use", id: "u", name: "a", input: { [field]: 1 }, ...at("content:tool_use") };
  const thought = { ...(thinking ?? { type: "thinking", thinking: "t", signature: "s" }), ...at("content:thinking") };
  return {
    ...at(":"),
    metadata: { user_id: "u", ...at("metadata:") },
    output_config: { effort: "low", ...at("output_config:") },
    thinking: { type: "adaptive", ...at("thinking:adaptive") },
    system: [{ type: "text", text: "s", cache_control, ...at("system:text") }],
    tools: [
      { name: "a", input_schema: { type: "object", [field]: 1 }, ...at("tools:") },
      { type: "bash_20250124", name: "bash", ...at("tools:bash_20250124") },
      { name: "b", input_schema: { type: "object" }, cache_control, ...at("tools:") },
    ],
    messages: [
      { role: "user", content: [text("a"), text("b")], ...at("messages:user") },
      { role: "assistant", content: [thought, use], ...at("messages:assistant") },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "u", content: [text("c")], ...at("content:tool_result") },
          { ...text("d"), cache_control },
        ],
        ...at("messages:user"),
      },
    ],
  };
}
