// A version of a skill: immutable, with a number of its own.
import * as z from "zod";
import type { Retention } from "../kernel/retention.ts";
import { uploadLimits } from "./limits.ts";
import { digestText, manifestEntrySchema } from "./manifest.ts";
import { warningSchema } from "./review-warnings.ts";
import { runSchema } from "./run-declaration.ts";
import type { SkillFile } from "./skill-file.ts";

const number = z.int().describe("Number of the version, starting at 1");
const digest = digestText.describe(
  "SHA-256 digest of the version's manifest. A request to activate the version must contain it",
);
const author = z.string().describe("`user_id` of the person who uploaded the version");
const createdAt = z.iso.datetime().describe("When the version was uploaded");
const change = z.string().optional().describe("What the version changes, in the author's words");

export const versionSummarySchema = z
  .object({ version: number, digest, author, created_at: createdAt, change })
  .meta({ id: "SkillVersionSummary", description: "Summary of a skill's version" });

export type VersionSummary = z.output<typeof versionSummarySchema>;

export const versionSchema = z
  .object({
    name: z.string().describe("Name of the skill"),
    version: number,
    digest,
    kind: z
      .enum(["instructions", "script"])
      .describe("`script`: the skill runs a script. `instructions`: an assistant reads the skill"),
    description: z.string().describe("What the skill is for, in the author's words"),
    frontmatter: z.record(z.string(), z.unknown()).describe("Frontmatter of the skill's SKILL.md"),
    files: z.array(manifestEntrySchema).describe("All files of the version"),
    warnings: z.array(warningSchema).describe("Places that a reviewer should check"),
    change,
    author,
    created_at: createdAt,
    run: runSchema.optional(),
    input_schema: z.record(z.string(), z.unknown()).optional().describe("JSON Schema of the script's input"),
  })
  .meta({ id: "SkillVersion", description: "A version of a skill, with its files and warnings" });

export const versionRecordSchema = versionSchema.extend({
  tenant_id: z.string(),
  /** Id of the object that holds the files' bytes. */
  content_id: z.string(),
});

export type VersionRecord = z.output<typeof versionRecordSchema>;

/** A note of what changed. */
export const changeNote = z
  .string()
  .max(uploadLimits.changeLength, `must have at most ${uploadLimits.changeLength} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a range is read by every language for which a client is generated, and \p{Cc} by few
  .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$/, "must not have control characters");

/** The files of runs in the bucket of skills: their input and their output. */
export const runObjectRetention = { days: 1 } as const satisfies Retention;

/** The prefixes of the bucket's objects: what versions hold, and what runs take and give, which goes after a day. */
export const skillObjects = { versions: "versions/", runs: "runs/" } as const;

/** @param contentId empty for the beginning of all of the tenant's */
export function contentKey(tenantId: string, contentId: string): string {
  return `${skillObjects.versions}${tenantId}/${contentId}`;
}

/** Where the bytes of a version's files are, and how long each is. */
export type KeptFiles = Pick<VersionRecord, "tenant_id" | "content_id" | "files">;

/** The content of versions: one object each, which is written before the version's record and never changed. */
export interface SkillContents {
  put(tenantId: string, contentId: string, files: readonly SkillFile[]): Promise<void>;
  /** All files of a version; undefined if they are gone. */
  all(version: KeptFiles): Promise<SkillFile[] | undefined>;
  /** The bytes of one file; undefined if there is none of this path, or if it is gone. */
  one(version: KeptFiles, path: string): Promise<Uint8Array | undefined>;
  remove(tenantId: string, contentIds: readonly string[]): Promise<void>;
}

/** The number in a path; 0, which no version has, for anything else. */
export function versionNumber(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
}
