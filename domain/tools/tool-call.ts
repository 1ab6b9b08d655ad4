// A call of a tool as the log has it: who called what, with which arguments' names, and how it ended. No value and no token is in it.
import { list, record } from "../kernel/json.ts";
import { partsOf } from "./tool-name.ts";

/** `tool_error`: the tool says that it failed. `failed`: the gateway or the upstream did. `refused`: by the platform. */
export const toolCallOutcomes = ["ok", "tool_error", "failed", "refused"] as const;
export type ToolCallOutcome = (typeof toolCallOutcomes)[number];

/** The event that marks a line about a tool call among the other lines of the log. */
export const toolCallEvent = "tool_call";

export type ToolCall = {
  tenant_id: string;
  /** The person's sub. */
  caller: string;
  /** The integration's name; missing for a tool of the gateway itself. */
  target?: string;
  tool: string;
  arguments: string[];
  outcome: ToolCallOutcome;
  /** From the gateway's question to its answer; missing if another instance saw the question. */
  ms?: number;
};

export interface ToolCallLog {
  write(call: ToolCall): void;
}

const mostArguments = 50;
const longestName = 128;

/** `called` is the name as it was sent; the others are for a line of the log. */
export type ToolCallMessage = { id: unknown; called: string; name: string; arguments: string[] };

/** A message that calls a tool; undefined for any other. */
export function toolCallOf(message: unknown): ToolCallMessage | undefined {
  const { id, method, params } = record(message);
  if (method !== "tools/call") return undefined;
  const { name, arguments: given } = record(params);
  const names = Object.keys(record(given)).slice(0, mostArguments);
  const called = String(name ?? "");
  return { id, called, name: plain(called), arguments: names.map(plain) };
}

export function outcomeOf(statusCode: number, answer: unknown): ToolCallOutcome {
  const { error, result } = record(answer);
  if (statusCode >= 400 || error !== undefined) return "failed";
  return record(result).isError === true ? "tool_error" : "ok";
}

/** The messages of a body: one, or several in a batch of the protocol's older versions. */
export function messagesOf(body: unknown): unknown[] {
  if (Array.isArray(body)) return list(body);
  return body === null || body === undefined ? [] : [body];
}

/** The target and the tool of a call, for its line. */
export function lineParts({
  name,
  arguments: names,
}: ToolCallMessage): Pick<ToolCall, "target" | "tool" | "arguments"> {
  const { target, tool } = partsOf(name);
  return { ...(target !== undefined && { target }), tool, arguments: names };
}

/** A name that the caller sent, without characters that no name has. */
function plain(name: string): string {
  return name.slice(0, longestName).replace(/[^\w.-]/g, "?");
}
