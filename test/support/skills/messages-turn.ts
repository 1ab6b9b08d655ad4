// A turn of the scripted model in the Messages API.

/** Use a tool, or say something, which ends the model's turns. */
export type Turn = { tool: string; namespace?: string; input: object } | { says: string };

export function messageOf(turn: Turn, id: string, model: string) {
  return {
    ...{ id: `msg_${id}`, type: "message", role: "assistant", model, content: [contentOf(turn, id)] },
    ...{ stop_reason: "tool" in turn ? "tool_use" : "end_turn", stop_sequence: null },
    usage: { input_tokens: 10, output_tokens: 10 },
  };
}

function contentOf(turn: Turn, id: string) {
  if ("tool" in turn) return { type: "tool_use", id: `toolu_${id}`, name: turn.tool, input: turn.input };
  return { type: "text", text: turn.says };
}

export function messageEvents(turn: Turn, id: string, model: string) {
  const message = messageOf(turn, id, model);
  const content = contentOf(turn, id);
  const begun = "tool" in turn ? { ...content, input: {} } : { type: "text", text: "" };
  const delta =
    "tool" in turn
      ? { type: "input_json_delta", partial_json: JSON.stringify(turn.input) }
      : { type: "text_delta", text: turn.says };
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: begun },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: "message_stop" },
  ];
}
