// A run of a skill's script: queued, then running, then over in one of four ways.
import * as z from "zod";
import { networks } from "../skills/run-declaration.ts";
import { aroundSeconds, mostWaitSeconds } from "./run-limits.ts";

export const runStatuses = ["queued", "running", "succeeded", "failed", "timed_out", "lost"] as const;

export const runFileSchema = z
  .object({
    n: z.int().describe("Its number, from 1"),
    name: z.string().describe("Its name in OUTPUT_DIR"),
    size: z.int().describe("In bytes"),
  })
  .meta({ id: "SkillRunFile", description: "A file that a run left" });

export type RunFile = z.output<typeof runFileSchema>;

export const runSummarySchema = z
  .object({
    run_id: z.string().describe("The run's id"),
    skill: z.string().describe("The skill's name"),
    version: z.int().describe("The version that was run"),
    status: z
      .enum(runStatuses)
      .describe(
        "`failed`: it ended with another code than 0, or could not be run; `lost`: the platform does not know how it ended",
      ),
    exit_code: z.int().optional().describe("The script's own"),
    files: z.array(runFileSchema).describe("What it left in OUTPUT_DIR; readable for a day"),
    truncated: z
      .boolean()
      .optional()
      .describe("True if it printed more than is kept: 256 KB of its output, 64 KB of its error output"),
    withheld_secrets: z
      .array(z.string())
      .optional()
      .describe("Secrets that it did not get, because it ran another version than the active one"),
    withheld_variables: z
      .array(z.string())
      .optional()
      .describe(
        "Variables that it did not get, because others than its version's author set them, and it ran another version than the active one",
      ),
    queued_at: z.iso.datetime().describe("When it was asked for"),
    started_at: z.iso.datetime().optional().describe("When it was taken from the queue"),
    ended_at: z.iso.datetime().optional().describe("When it was over"),
    seconds: z.int().optional().describe("How long it took, as it counts towards the workspace's seconds of the day"),
    reason: z.string().optional().describe("Why it ended as it did, where the script does not say so itself"),
    caller_id: z.string().describe("Who asked for it, by their `user_id`"),
  })
  .meta({ id: "SkillRunSummary", description: "A run of a skill's script, without what it printed" });

export const runSchema = runSummarySchema
  .extend({
    output: z.string().optional().describe("What it printed, at most 256 KB; missing after a day"),
    stderr: z.string().optional().describe("What it printed to its error output, at most 64 KB; missing after a day"),
  })
  .meta({ id: "SkillRun", description: "A run of a skill's script" });

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
