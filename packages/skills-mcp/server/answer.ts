// What a tool answers: text, a structure, a failure in one sentence, or what it needs from the client first.
import type { CallToolResult, InputRequests, InputRequiredResult } from "@modelcontextprotocol/server";
import { inputRequired } from "@modelcontextprotocol/server";
import { Failure } from "../../command-line/failure.ts";

export type Answer = CallToolResult | InputRequiredResult;

/** Ends a call whose client has to do something first, and then calls again. The SDK does the same for clients of before 2026-07-28. */
export class InputNeeded extends Error {
  readonly inputRequests: InputRequests;

  constructor(inputRequests: InputRequests) {
    super("input is needed");
    this.inputRequests = inputRequests;
  }
}

export function text(...lines: string[]): CallToolResult {
  return { content: [{ type: "text", text: lines.join("\n") }] };
}

/** An answer with a structure, and the same as text for clients that know no structures. Those that do show the model nothing else. */
export function structure(content: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(content, null, 2) }], structuredContent: content };
}

/** @param work throws Failure or InputNeeded */
export async function answered(work: () => Promise<CallToolResult>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputNeeded) return inputRequired({ inputRequests: error.inputRequests });
    const message =
      error instanceof Failure ? error.message : "this call failed, and the reason is a fault of this program";
    return { ...text(message), isError: true };
  }
}
