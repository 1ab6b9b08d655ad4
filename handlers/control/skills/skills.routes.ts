// The routes of the workspace's skills, as data.
import * as z from "zod";
import { fields } from "../../../domain/kernel/validation.ts";
import { uploadLimits } from "../../../domain/skills/limits.ts";
import { digestText, manifestEntrySchema } from "../../../domain/skills/manifest.ts";
import { skillSchema, skillStatuses } from "../../../domain/skills/skill.ts";
import { changeNote, versionSchema, versionSummarySchema } from "../../../domain/skills/skill-version.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const path = "/v1/skills";

/** Scopes that read, and scopes that change: an assistant that only uses skills asks for the first alone. */
const reading = ["skills:invoke", "skills:rw"] as const;
const changing = ["skills:rw"] as const;

const skills = z
  .object({ data: z.array(skillSchema).describe("Skills, sorted by name") })
  .meta({ id: "SkillList", description: "The skills that the caller may see" });

const skillWithVersions = skillSchema
  .extend({ versions: z.array(versionSummarySchema).describe("Versions that the caller may read, oldest first") })
  .meta({ id: "SkillWithVersions", description: "A skill with its versions" });

const uploaded = versionSchema
  .extend({ is_new: z.boolean().describe("False if a version with the same content already existed") })
  .meta({ id: "UploadedSkillVersion", description: "The version that has the uploaded content" });

const file = manifestEntrySchema
  .extend({ content: z.string().describe("Content of the file, in base64") })
  .meta({ id: "SkillFile", description: "A file of a version, with its content" });

const base64 = z
  .string()
  .transform((text, context) => {
    const bytes = Buffer.from(text, "base64");
    if (bytes.toString("base64") === text) return new Uint8Array(bytes);
    context.addIssue({ code: "custom", message: "must be base64" });
    return z.NEVER;
  })
  .describe("Content of the file, in base64");

const { files: mostFiles, bytes, nameLength } = uploadLimits;
/** The body may be a third larger than the files, for base64, with half a megabyte for paths. */
const bodyBytes = Math.ceil(bytes / 3) * 4 + 512 * 1024;

const upload = fields({
  files: z
    .array(
      fields({
        path: z.string().describe("Path of the file relative to the skill's folder, e.g. `scripts/report.py`"),
        content: base64,
      }).meta({ id: "SkillUploadFile", description: "A file to upload" }),
    )
    .min(1, "must have at least the file SKILL.md")
    .max(mostFiles, `must have at most ${mostFiles} files`)
    .describe("All files of the folder"),
  name: z
    .string()
    .max(nameLength, `must have at most ${nameLength} characters`)
    .optional()
    .describe("Name of the folder. It must be the name of the skill"),
  change: changeNote.optional().describe("What the version changes, for the reviewer"),
}).meta({ id: "SkillUploadRequest", description: "A skill's folder to upload" });

const digest = `sha256:${"5f".repeat(32)}`;
const times = { created_at: "2026-11-23T10:00:00.000Z", updated_at: "2026-11-23T11:00:00.000Z" };
const author = "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c";

const inactive = {
  ...{ name: "weekly-report", status: "inactive", kind: "script", description: "Writes the weekly report" },
  ...{ latest_version: 1, network: "none", timeout_seconds: 60, created_by: author, ...times },
} as const;

const active = {
  ...inactive,
  ...{ status: "active", active_version: 1, digest, activated_by: author, activated_at: times.updated_at },
} as const;

const version = {
  ...{ name: "weekly-report", version: 1, digest, kind: "script", description: "Writes the weekly report" },
  frontmatter: {
    name: "weekly-report",
    description: "Writes the weekly report",
    metadata: { "archway-run": "scripts/report.py" },
  },
  files: [
    { path: "SKILL.md", size: 412, digest },
    { path: "scripts/report.py", size: 1_204, digest },
  ],
  warnings: [{ path: "scripts/report.py", line: 12, message: "names an address of jira.example.com" }],
  ...{ change: "The first one", author, created_at: times.created_at },
  run: { path: "scripts/report.py", network: "none", timeout_seconds: 60 },
} as const;

const summary = { version: 1, digest, author, created_at: times.created_at, change: "The first one" };
const named = { name: "weekly-report" };

export const skillRoutes = {
  listSkills: {
    method: "GET",
    path,
    access: "member",
    openers: reading,
    versionedBy: "content",
    summary: "List active skills and the caller's own skills. The owner sees all skills",
    query: fields({
      status: z
        .enum(skillStatuses, { error: () => `must be one of ${skillStatuses.join(", ")}` })
        .optional()
        .describe("Only skills of this status"),
    }),
    response: skills,
    example: { response: { data: [active] } },
  },
  uploadSkill: {
    method: "POST",
    path,
    access: "member",
    openers: changing,
    maxBodyBytes: bodyBytes,
    summary: "Upload a skill's folder as a new skill, or as the next version of a skill",
    body: writtenBy(upload, "caller"),
    response: uploaded,
    refusals: ["skill_invalid", "skill_limit_reached", "changed_meanwhile"],
    example: {
      body: { files: [{ path: "SKILL.md", content: "LS0tCm5hbWU6IHdlZWtseS1yZXBvcnQK" }], change: "The first one" },
      response: { ...version, is_new: true },
    },
  },
  getSkill: {
    method: "GET",
    path: `${path}/{name}`,
    access: "member",
    openers: reading,
    versionedBy: "content",
    summary: "Get a skill with its versions",
    response: skillWithVersions,
    example: { parameters: named, response: { ...active, versions: [summary] } },
  },
  getSkillVersion: {
    method: "GET",
    path: `${path}/{name}/versions/{version}`,
    access: "member",
    openers: reading,
    summary: "Get a version, with its files and the places that a reviewer should check",
    response: versionSchema,
    example: { parameters: { ...named, version: "1" }, response: version },
  },
  getSkillFile: {
    method: "GET",
    path: `${path}/{name}/versions/{version}/files/{path}`,
    access: "member",
    openers: reading,
    summary: "Get a file of a version. Slashes in its path need no escaping",
    response: file,
    example: {
      parameters: { ...named, version: "1", path: "SKILL.md" },
      response: { path: "SKILL.md", size: 412, digest, content: "LS0tCm5hbWU6IHdlZWtseS1yZXBvcnQK" },
    },
  },
  activateSkill: {
    method: "POST",
    path: `${path}/{name}/activate`,
    access: "owner",
    openers: changing,
    summary: "Activate a version and its environment for all members, by the digests that were reviewed",
    body: writtenBy(
      fields({
        version: z
          .int("must be a version's number")
          .min(1, "must be a version's number")
          .describe("Number of the version"),
        digest: digestText.describe("Digest of the reviewed version"),
        env_digest: digestText.describe("Digest of the reviewed environment, from `GET /v1/skills/{name}/env`"),
      }).meta({ id: "SkillActivation", description: "The reviewed version and environment" }),
      "owner",
    ),
    response: skillSchema,
    refusals: ["digest_mismatch", "skill_limit_reached", "changed_meanwhile"],
    example: { parameters: named, body: { version: 1, digest, env_digest: digest }, response: active },
  },
  deactivateSkill: {
    method: "POST",
    path: `${path}/{name}/deactivate`,
    access: "owner",
    openers: changing,
    openIn: "suspended",
    summary: "Deactivate a skill: members can no longer use it. Its versions are kept",
    response: skillSchema,
    refusals: ["changed_meanwhile"],
    example: { parameters: named, response: inactive },
  },
  deleteSkill: {
    method: "DELETE",
    path: `${path}/{name}`,
    access: "member",
    openers: changing,
    openIn: "suspended",
    summary:
      "Remove a skill. The owner can always do so, the author of its first version only before the first activation",
    refusals: ["role_missing", "changed_meanwhile"],
    example: { parameters: named },
  },
} as const satisfies Record<string, Route>;
