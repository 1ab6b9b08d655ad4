// A call of a tool as the log has it: who called what, with which arguments' names, and how it ended. No value and no token is in it.
/** `tool_error`: the tool says that it failed. `failed`: the gateway or the upstream did. `refused`: by the platform. */
export const toolCallOutcomes = ["ok", "tool_error", "failed", "refused"] as const;
export type ToolCallOutcome = (typeof toolCallOutcomes)[number];

/** The event that marks a line about a tool call among the other lines of the log. */
export const toolCallEvent = "tool_call";

export type ToolCall = {
  tenant_id: string;
  /** The `user_id` of the person. */
  caller_id: string;
  /** The integration's name; missing for a tool of the gateway itself. */
  target?: string;
  tool: string;
  arguments: string[];
  outcome: ToolCallOutcome;
  /** Milliseconds between the gateway's question and the answer; missing if another instance saw the question. */
  ms?: number;
};

export interface ToolCallLog {
  write(call: ToolCall): void;
}
