// A skill of a workspace: its record, and the store of skills and their versions.
import * as z from "zod";
import { fieldRefusal } from "../kernel/refusal.ts";
import type { AuditEntry } from "../workspace/audit.ts";
import type { ApprovalRecord } from "./approval.ts";
import type { EnvironmentRecord } from "./environment.ts";
import { digestText } from "./manifest.ts";
import { networks } from "./run-declaration.ts";
import type { VersionRecord, VersionSummary } from "./skill-version.ts";

export const skillStatuses = ["active", "inactive"] as const;
const skillKinds = ["instructions", "script"] as const;

/** A JSON Schema, as its author wrote it. */
const inputSchemaField = z
  .record(z.string(), z.unknown())
  .describe("JSON Schema of the script's input. Missing for a script that takes only arguments");

export const skillSchema = z
  .object({
    name: z.string().describe("Name of the skill in the workspace"),
    status: z
      .enum(skillStatuses)
      .describe(
        "Status of the skill. `active`: all members can use it. `inactive`: only its authors and the owner see it",
      ),
    kind: z
      .enum(skillKinds)
      .describe("`script`: the skill runs a script in a sandbox. `instructions`: an assistant reads the skill"),
    description: z.string().describe("What the skill is for, in the author's words"),
    active_version: z
      .int()
      .optional()
      .describe("Number of the version that members use. Missing while the skill is inactive"),
    latest_version: z.int().describe("Number of the version that was uploaded last"),
    digest: digestText.optional().describe("Digest of the active version"),
    input_schema: inputSchemaField.optional(),
    network: z.enum(networks).optional().describe("For a script: `internet` if it may open network connections"),
    timeout_seconds: z.int().optional().describe("For a script: its time limit in seconds"),
    created_by: z.string().describe("`user_id` of the person who uploaded the first version"),
    created_at: z.iso.datetime().describe("When the first version was uploaded"),
    updated_at: z.iso.datetime().describe("When the skill was last changed"),
    activated_by: z
      .string()
      .optional()
      .describe("`user_id` of the person who last activated the skill. Missing if it was never activated"),
    activated_at: z.iso
      .datetime()
      .optional()
      .describe("When the skill was last activated. Missing if it was never activated"),
  })
  .meta({
    id: "Skill",
    description:
      "A skill. Its kind, description and schema are those of the active version, or of the latest version if none is active",
  });

export const skillRecordSchema = skillSchema.extend({
  tenant_id: z.string(),
  /** The number of changes, by which each write is conditional. */
  revision: z.int(),
  /** The versions that still exist, oldest first. */
  kept_versions: z.array(z.int()),
  /** The people who uploaded a version of the skill. */
  authors: z.array(z.string()),
  /** Names of the secrets that its environment refers to. */
  secrets: z.array(z.string()),
  /** The secrets that were approved for the active version's script, by their ids. */
  approved_secrets: z.array(z.string()),
  /** Set on the mark that a removed skill leaves: its numbers are not used again, and its removal can be repeated. */
  removed_at: z.iso.datetime().optional(),
});

export type SkillRecord = z.output<typeof skillRecordSchema>;

/** A change of a skill, which is written as a whole or not at all. */
export type SkillChange = {
  /** The skill as it is afterwards, with the revision that follows. */
  skill: SkillRecord;
  entry: AuditEntry;
  /** How many more or fewer skills the workspace has, and how many of them are active. */
  skills?: 1 | -1;
  active?: 1 | -1;
  added?: VersionRecord;
  dropped?: VersionRecord;
  /** The whole environment of the skill; null removes it. */
  environment?: EnvironmentRecord | null;
  /** The owner's approval of the active version; null removes it. */
  approval?: ApprovalRecord | null;
};

/** `outrun`: somebody else changed the skill first. `full`: the workspace has as many skills, or active ones, as it may. */
export type SkillWrite = "written" | "outrun" | "full";

export interface SkillStore {
  /** Lists the skills in the order of their names, without the marks of removed ones. */
  list(tenantId: string): Promise<SkillRecord[]>;
  /** Finds a skill, or the mark that a removed one leaves. */
  get(tenantId: string, name: string): Promise<SkillRecord | undefined>;
  version(tenantId: string, name: string, version: number): Promise<VersionRecord | undefined>;
  /** Lists the versions of a skill, oldest first. */
  versions(tenantId: string, name: string): Promise<VersionSummary[]>;
  /** The number of the version with this content. */
  versionOf(tenantId: string, name: string, digest: string): Promise<number | undefined>;
  write(change: SkillChange): Promise<SkillWrite>;
  /** The ids of the contents of a removed skill's versions. */
  contentsOf(removed: SkillRecord): Promise<string[]>;
  /** Removes the versions of a removed skill, and lets the skill's mark expire. */
  clear(removed: SkillRecord): Promise<void>;
}

/** A skill as people see it. */
export type Skill = z.output<typeof skillSchema>;

/** @throws Refusal not_found */
export function noSkill(): never {
  throw fieldRefusal("not_found", "name", "there is no skill of this name here");
}
