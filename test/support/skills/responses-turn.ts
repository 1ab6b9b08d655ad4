// A turn of the scripted model in the Responses API (platform.openai.com/docs/api-reference/responses-streaming), with as few events as Codex needs.
import type { Turn } from "./messages-turn.ts";

export function responseEvents(turn: Turn, id: string) {
  const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
  return [
    { type: "response.created", response: { id: `resp_${id}` } },
    { type: "response.output_item.done", item: itemOf(turn, id) },
    { type: "response.completed", response: { id: `resp_${id}`, usage } },
  ];
}

/** Codex gives the tools of a server in a namespace. */
function itemOf(turn: Turn, id: string) {
  if (!("tool" in turn)) {
    const content = [{ type: "output_text", text: turn.says, annotations: [] }];
    return { type: "message", role: "assistant", id: `msg_${id}`, content };
  }
  const call = { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name: turn.tool };
  return { ...call, ...(turn.namespace && { namespace: turn.namespace }), arguments: JSON.stringify(turn.input) };
}
