// Invoking a skill with a script: a run on the platform, waited for as long as the client does.
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Run } from "../api/shapes.ts";
import type { RunRequest, SkillsApi } from "../api/skills-api.ts";
import { structure } from "../server/answer.ts";

/** Clients give up after a minute (the SDK's own limit) unless they hear of progress. */
const usualWaitMs = 50_000;
/** The time of the longest run, with that which it may wait for its start. */
const longestWaitMs = 330_000;
const pauseMs = 1_000;

export const runResult = z.object({
  run_id: z.string(),
  status: z.enum(["queued", "running", "succeeded", "failed", "timed_out", "lost"]),
  exit_code: z.int().nullable(),
  output: z.string(),
  stderr: z.string(),
  truncated: z.boolean().optional(),
  files: z.array(z.object({ name: z.string(), size: z.int() })),
  note: z.string().optional(),
});

/** A script without a schema of its own takes arguments. */
export const plainInput = { args: z.array(z.string()).optional().describe("Arguments of the script") };

/** The request for what a native tool was given. */
export function requestOf(hasSchema: boolean, input: Record<string, unknown>): RunRequest {
  if (hasSchema) return { input };
  const { args } = z.object(plainInput).parse(input);
  return args === undefined ? {} : { args };
}

/** @param pause between two looks, in milliseconds */
export async function runScript(
  api: SkillsApi,
  name: string,
  request: RunRequest,
  ctx: ServerContext,
  pause = pauseMs,
): Promise<CallToolResult> {
  const { _meta, signal, notify } = ctx.mcpReq;
  const progressToken = _meta?.progressToken;
  const begun = performance.now();
  let run = await api.startRun(name, request);
  const waitMs = progressToken === undefined ? usualWaitMs : longestWaitMs;
  while (!isOver(run) && performance.now() - begun < waitMs && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    run = await api.run(name, run.run_id);
    if (progressToken === undefined) continue;
    const progress = Math.round((performance.now() - begun) / 1_000);
    const params = { progressToken, progress, message: `${name} is ${run.status}` };
    await notify({ method: "notifications/progress", params }).catch(() => undefined);
  }
  return resultOf(run);
}

function isOver({ status }: Run): boolean {
  return status !== "queued" && status !== "running";
}

/** A run that has failed is an error of the tool, with its output. */
export function resultOf(run: Run): CallToolResult {
  const {
    run_id,
    status,
    exit_code = null,
    output = "",
    stderr = "",
    truncated = false,
    reason,
    withheld_secrets = [],
    withheld_variables = [],
  } = run;
  const withheld = [...withheld_secrets, ...withheld_variables];
  const files = run.files.map(({ name, size }) => ({ name, size }));
  const notes = [
    ...(isOver(run) ? [] : [`It goes on: ask get_run with name ${run.skill} and run_id ${run_id}.`]),
    ...(reason === undefined ? [] : [reason]),
    ...(truncated ? ["Only the beginning of what it printed is here."] : []),
    ...(withheld.length > 0 ? [`This version is not active, so it did not get ${withheld.join(", ")}.`] : []),
  ];
  const result = {
    run_id,
    status,
    exit_code,
    output,
    stderr,
    ...(truncated && { truncated }),
    files,
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
  return { ...structure(result), ...(isOver(run) && status !== "succeeded" && { isError: true }) };
}
