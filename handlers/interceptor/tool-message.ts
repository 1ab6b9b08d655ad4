// Messages of MCP about tools (JSON-RPC): a call with what a line of the log says of it, and a list without the tools that are not for the
// person who asks.
import { list, record } from "../../domain/kernel/json.ts";
import type { ToolCall, ToolCallOutcome } from "../../domain/tools/tool-call.ts";
import { partsOf } from "../../domain/tools/tool-name.ts";

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
  // Anything but a text names no tool.
  const called = typeof name === "string" ? name : "";
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

/** A message that asks for the tools; undefined for any other. */
export function toolListOf(message: unknown): { id: unknown } | undefined {
  const { id, method } = record(message);
  return method === "tools/list" ? { id } : undefined;
}

/** @param isHidden by the name that the gateway has for a tool */
export function visibleTools(answer: unknown, isHidden: (tool: string) => boolean): unknown {
  const { result, ...rest } = record(answer);
  // An error holds no tools.
  if (result === undefined) return answer;
  const given = record(result);
  const tools = list(given.tools).filter((tool) => {
    const { name } = record(tool);
    return typeof name === "string" && !isHidden(name);
  });
  // Since 2026-07-28 a list says whether others may be shown it: this one is of one person's role.
  return { ...rest, result: { ...given, tools, ...(given.cacheScope !== undefined && { cacheScope: "private" }) } };
}
