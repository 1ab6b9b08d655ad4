// The routes of runs of skills, as data.
import * as z from "zod";
import { fields } from "../../../domain/kernel/validation.ts";
import { runFileSchema, runSchema, runStatuses, runSummarySchema } from "../../../domain/runs/run.ts";
import { runLimits } from "../../../domain/runs/run-limits.ts";
import { isFileName } from "../../../domain/runs/session-script.ts";
import { readableVersion } from "../../../domain/skills/skill-access.ts";
import { exportedPageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { UseCaseRule, writtenBy } from "../routing/writers.ts";

const path = "/v1/skills/{name}/runs";
/** A token that may use skills may run them. */
const openers = ["skills:invoke"] as const;

const { inputBytes, argumentBytes, fileBytes, fileNameLength } = runLimits;

const content = z
  .string()
  .refine((text) => Buffer.from(text, "base64").toString("base64") === text, "must be base64")
  .describe("Content of the file, in base64");

const files = z
  .array(
    fields({
      name: z
        .string()
        .refine(isFileName, `must be a name of 1 to ${fileNameLength} characters, without a folder`)
        .describe("Name of the file in INPUT_DIR"),
      content,
    }).meta({ id: "SkillRunInputFile", description: "A file for a run" }),
  )
  .max(runLimits.files, `must have at most ${runLimits.files} files`)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, "must have different names")
  .refine(
    (all) => all.reduce((sum, file) => sum + Buffer.byteLength(file.content, "base64"), 0) <= fileBytes,
    `must have at most ${fileBytes} bytes together`,
  )
  .describe("Files that the script finds in INPUT_DIR");

/** A text that a shell can pass on. */
const argument = z.string().refine((text) => !/[\0\p{Cs}]/u.test(text), "must be text without a zero");

const start = fields({
  version: z
    .int()
    .min(1, "must be the number of a version")
    .optional()
    .describe("Number of the version to run. By default the active version"),
  input: z
    .record(z.string(), z.unknown())
    .refine(
      (input) => Buffer.byteLength(JSON.stringify(input)) <= inputBytes,
      `must have at most ${inputBytes} bytes as JSON`,
    )
    .optional()
    .describe("JSON value that the script reads from its standard input. By default `{}`"),
  args: z
    .array(argument)
    .max(runLimits.arguments, `must have at most ${runLimits.arguments} arguments`)
    .refine(
      (args) => args.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= argumentBytes,
      `must have at most ${argumentBytes} bytes together`,
    )
    .optional()
    .describe("Arguments of the script"),
  files: files.optional(),
}).meta({ id: "SkillRunRequest", description: "Input of a run" });

/** The body may be a third larger than the files, for base64, with room for the input and the arguments as escaped JSON. */
const bodyBytes = Math.ceil(fileBytes / 3) * 4 + 2 * (inputBytes + argumentBytes);

const file = runFileSchema
  .extend({ content: z.string().describe("Content of the file, in base64") })
  .meta({ id: "SkillRunFileContent", description: "A file that a run wrote to OUTPUT_DIR, with its content" });

const listQuery = exportedPageQuery({
  status: z
    .enum(runStatuses, { error: () => `must be one of ${runStatuses.join(", ")}` })
    .optional()
    .describe("Only runs of this status"),
  caller_id: z
    .string()
    .min(1, "must not be empty")
    .max(255, "must have at most 255 characters")
    .optional()
    .describe("Only runs that this person requested, by `user_id`"),
});

/** A file for a spreadsheet has no lists in its cells. */
const csv = Object.keys(runSummarySchema.omit({ files: true, withheld_secrets: true, withheld_variables: true }).shape);

const id = "0mi3k9x2cd4e5f953a17281f23b4c6d7e8f9a0b1c";
const queued = {
  ...{ run_id: id, skill: "weekly-report", version: 1, status: "queued", files: [] },
  ...{ queued_at: "2026-11-23T10:00:00.000Z", caller_id: "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c" },
} as const;
const succeeded = {
  ...{ ...queued, status: "succeeded", exit_code: 0, files: [{ n: 1, name: "report.md", size: 5_120 }] },
  ...{ started_at: "2026-11-23T10:00:01.000Z", ended_at: "2026-11-23T10:00:06.000Z", seconds: 4 },
} as const;
const named = { name: "weekly-report" };

export const runRoutes = {
  startSkillRun: {
    method: "POST",
    path,
    access: "member",
    openers,
    idempotent: true,
    location: "/v1/skills/{skill}/runs/{run_id}",
    status: 202,
    maxBodyBytes: bodyBytes,
    summary: "Run a skill's script in a sandbox, at most once",
    body: writtenBy(start, {
      version: new UseCaseRule(readableVersion, "everybody who may read the version"),
      input: "caller",
      args: "caller",
      files: "caller",
    }),
    response: runSummarySchema,
    refusals: ["rate_limited", "concurrency_limited"],
    example: { parameters: named, body: { input: { week: 47 } }, response: queued },
  },
  listSkillRuns: {
    method: "GET",
    path,
    access: "member",
    openers,
    summary: "List the runs of a skill. The owner sees all runs, a developer only their own",
    query: listQuery,
    response: pageSchema(runSummarySchema),
    csv,
    example: { parameters: named, response: { data: [succeeded] } },
  },
  getSkillRun: {
    method: "GET",
    path: `${path}/{run_id}`,
    access: "member",
    openers,
    summary: "Get a run, with its output",
    response: runSchema,
    example: {
      parameters: { ...named, run_id: id },
      response: { ...succeeded, output: "The report is done.\n", stderr: "" },
    },
  },
  getSkillRunFile: {
    method: "GET",
    path: `${path}/{run_id}/files/{n}`,
    access: "member",
    openers,
    summary: "Get a file that a run wrote to OUTPUT_DIR",
    response: file,
    example: {
      parameters: { ...named, run_id: id, n: "1" },
      response: { n: 1, name: "report.md", size: 5_120, content: "IyBXZWVrIDQ3Cg==" },
    },
  },
} as const satisfies Record<string, Route>;
