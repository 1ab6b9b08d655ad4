// The result of a tool, as the events of an invocation carry it (CodeInterpreterResult of @aws-sdk/client-bedrock-agentcore).
import type { ConfinedProcess, Ended } from "../../sandbox/confined-process.ts";

export type TaskStatus = "submitted" | "working" | "completed" | "failed" | "canceled";

export type ToolResult = {
  content: object[];
  structuredContent?: {
    taskId?: string;
    taskStatus?: TaskStatus;
    stdout?: string;
    stderr?: string;
    exitCode?: number;
    executionTime?: number;
  };
  isError: boolean;
};

export const problem = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

/** The result of a command: what it has printed so far, and how it ended if it has. */
export function commandResult({ stdout, stderr }: ConfinedProcess, ended: Ended | undefined): ToolResult {
  const printed = { stdout: stdout.toString(), stderr: stderr.toString() };
  const end = ended && { exitCode: ended.exitCode, executionTime: ended.milliseconds };
  return {
    content: [{ type: "text", text: printed.stdout || printed.stderr }],
    structuredContent: { ...printed, ...end },
    isError: ended !== undefined && ended.exitCode !== 0,
  };
}

export function taskResult(taskId: string, taskStatus: TaskStatus, result?: ToolResult): ToolResult {
  const { content = [{ type: "text", text: taskStatus }], isError = false } = result ?? {};
  return { content, isError, structuredContent: { ...result?.structuredContent, taskId, taskStatus } };
}

/** @param blob base64 */
export function fileContent({ path, blob }: { path: string; blob: string }): object {
  const bytes = Buffer.from(blob, "base64");
  const text = bytes.toString();
  const uri = `file:///${path}`;
  const isText = Buffer.from(text).equals(bytes);
  const resource = isText
    ? { type: "text", uri, mimeType: "text/plain", text }
    : { type: "blob", uri, mimeType: "application/octet-stream", blob };
  return { type: "resource", resource };
}

export function fileLink({ path, name, folder }: { path: string; name: string; folder: boolean }): object {
  return { type: "resource_link", uri: `file:///${path}`, name, description: folder ? "Directory" : "File" };
}
