// A run of a skill's script: queued, then running, then over in one of four ways.
import * as z from "zod";
import { networks } from "../skills/run-declaration.ts";
import { aroundSeconds, mostWaitSeconds } from "./run-limits.ts";

export const runStatuses = ["queued", "running", "succeeded", "failed", "timed_out", "lost"] as const;

export const runFileSchema = z
  .object({
    n: z.int().describe("Number of the file among the run's files, starting at 1"),
    name: z.string().describe("Name of the file in OUTPUT_DIR"),
    size: z.int().describe("Size of the file in bytes"),
  })
  .meta({ id: "SkillRunFile", description: "A file that a run wrote to OUTPUT_DIR" });

export type RunFile = z.output<typeof runFileSchema>;

export const runSummarySchema = z
  .object({
    run_id: z.string().describe("Id of the run"),
    skill: z.string().describe("Name of the skill"),
    version: z.int().describe("Version of the skill that ran"),
    status: z
      .enum(runStatuses)
      .describe(
        "Status of the run. `failed`: the script ended with an exit code other than 0, or could not be started. `lost`: the platform does not know how the run ended",
      ),
    exit_code: z.int().optional().describe("Exit code of the script"),
    files: z.array(runFileSchema).describe("Files that the script wrote to OUTPUT_DIR. They can be read for one day"),
    truncated: z
      .boolean()
      .optional()
      .describe("True if the output was cut: 256 KB of the standard output and 64 KB of the error output are kept"),
    withheld_secrets: z
      .array(z.string())
      .optional()
      .describe(
        "Names of secrets that the script did not get, because the run used another version than the active one",
      ),
    withheld_variables: z
      .array(z.string())
      .optional()
      .describe(
        "Names of variables that the script did not get: the run used another version than the active one, and somebody other than that version's author set them",
      ),
    queued_at: z.iso.datetime().describe("When the run was requested"),
    started_at: z.iso.datetime().optional().describe("When the run was taken from the queue"),
    ended_at: z.iso.datetime().optional().describe("When the run ended"),
    seconds: z
      .int()
      .optional()
      .describe("Duration of the run in seconds, as it counts towards the workspace's daily limit"),
    reason: z.string().optional().describe("Why the run ended, if the script itself does not say so"),
    caller_id: z.string().describe("`user_id` of the person who requested the run"),
  })
  .meta({ id: "SkillRunSummary", description: "A run of a skill's script, without its output" });

export const runSchema = runSummarySchema
  .extend({
    output: z.string().optional().describe("Standard output of the script, at most 256 KB. Missing after one day"),
    stderr: z.string().optional().describe("Error output of the script, at most 64 KB. Missing after one day"),
  })
  .meta({ id: "SkillRun", description: "A run of a skill's script, with its output" });

export type RunSummary = z.output<typeof runSummarySchema>;
export type Run = z.output<typeof runSchema>;

export const runRecordSchema = runSummarySchema.extend({
  tenant_id: z.string(),
  timeout_seconds: z.int(),
  network: z.enum(networks),
  /** Whether it was asked for as a draft: a version that was not the active one. */
  is_draft: z.boolean(),
});

export type RunRecord = z.output<typeof runRecordSchema>;

export const runJobSchema = z.object({ tenant_id: z.string(), skill: z.string(), run_id: z.string() });

/** The message that has a run carried out. */
export type RunJob = z.output<typeof runJobSchema>;

export type RunKey = { tenantId: string; skill: string; id: string };

export const keyOf = ({ tenant_id, skill, run_id }: RunRecord): RunKey => ({ tenantId: tenant_id, skill, id: run_id });

/** Ids are in the order of time, and are tokens of a creation for AWS, which asks for 33 characters or more. */
export function runIdAt(now: number, newId: string): string {
  return now.toString(36).padStart(9, "0") + newId.replaceAll("-", "");
}

const isOpen = ({ status }: Pick<RunRecord, "status">) => status === "queued" || status === "running";

/** The time until which a run may be started. */
export function startsBy({ queued_at }: Pick<RunRecord, "queued_at">): number {
  return Date.parse(queued_at) + mostWaitSeconds * 1000;
}

/** When a run is over at the latest, whatever happens to the function that carries it out: counted from its start once that is known. */
export function leaseEnd(run: Pick<RunRecord, "queued_at" | "started_at" | "timeout_seconds">): number {
  const start = run.started_at === undefined ? startsBy(run) : Date.parse(run.started_at);
  return start + (run.timeout_seconds + aroundSeconds) * 1000;
}

/** A run that nobody can be carrying out any more. */
export function isLost(run: RunRecord, now: number): boolean {
  return isOpen(run) && now > (run.status === "queued" ? startsBy(run) : leaseEnd(run));
}

export const lostReasons = {
  queued: "It was not started in time: try again",
  running: "The platform lost it while it ran: whether its script came to its end is not known",
} as const;

/** A run that is lost, as people see it before anybody has noted it. */
export function seenAt(run: RunRecord, now: number): RunRecord {
  if (!isLost(run, now)) return run;
  return { ...run, status: "lost", reason: lostReasons[run.status as keyof typeof lostReasons] };
}
