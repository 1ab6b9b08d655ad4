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
  .describe("The JSON Schema of a script's input; missing for a script that takes arguments alone");

export const skillSchema = z
  .object({
    name: z.string().describe("The skill's name in the workspace"),
    status: z
      .enum(skillStatuses)
      .describe("Members use active skills; an inactive one is its authors' and the owner's"),
    kind: z
      .enum(skillKinds)
      .describe("`script`: running it starts a script in a sandbox; `instructions`: an assistant reads it"),
    description: z.string().describe("What it is for, in its author's words"),
    active_version: z.int().optional().describe("The version that members use; missing while it is inactive"),
    latest_version: z.int().describe("The version that was uploaded last"),
    digest: digestText.optional().describe("The active version's digest"),
    input_schema: inputSchemaField.optional(),
    network: z.enum(networks).optional().describe("Of a script: `internet` if it may open connections"),
    timeout_seconds: z.int().optional().describe("Of a script: how long it may run"),
    created_by: z.string().describe("Who uploaded its first version, by their `user_id`"),
    created_at: z.iso.datetime().describe("When its first version was uploaded"),
    updated_at: z.iso.datetime().describe("When anything of it changed last"),
    activated_by: z
      .string()
      .optional()
      .describe("Who activated it last, by their `user_id`; missing before the first time"),
    activated_at: z.iso.datetime().optional().describe("When it was activated last; missing before the first time"),
  })
  .meta({
    id: "Skill",
    description: "A skill. Kind, description and schema are those of the active version, or of the latest one",
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
