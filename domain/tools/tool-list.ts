// The answer to a question for the tools, without those that are not for the person who asks.
import { list, record } from "../kernel/json.ts";

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
  const tools = list(given.tools).filter((tool) => !isHidden(String(record(tool).name)));
  // Since 2026-07-28 a list says whether others may be shown it: this one is of one person's role.
  return { ...rest, result: { ...given, tools, ...(given.cacheScope !== undefined && { cacheScope: "private" }) } };
}
