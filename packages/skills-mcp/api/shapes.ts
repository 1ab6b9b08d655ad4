// What the platform answers about skills, as far as this program reads it.
import * as z from "zod";

const kind = z.enum(["instructions", "script"]);
const network = z.enum(["none", "internet"]);
const jsonSchema = z.looseObject({ type: z.literal("object") });

export const skillSchema = z.object({
  name: z.string(),
  status: z.enum(["active", "inactive"]),
  kind,
  description: z.string(),
  active_version: z.int().optional(),
  latest_version: z.int(),
  created_by: z.string().optional(),
  updated_at: z.string().optional(),
  activated_by: z.string().optional(),
  activated_at: z.string().optional(),
  digest: z.string().optional(),
  input_schema: jsonSchema.optional(),
  network: network.optional(),
  timeout_seconds: z.number().optional(),
});

export const skillDetailSchema = skillSchema.extend({
  versions: z.array(
    z.object({
      version: z.int(),
      digest: z.string(),
      author: z.string().optional(),
      created_at: z.string(),
      change: z.string().optional(),
    }),
  ),
});

const warning = z.object({ path: z.string().optional(), line: z.int().optional(), message: z.string() });

export const versionSchema = z.object({
  name: z.string(),
  version: z.int(),
  digest: z.string(),
  kind,
  description: z.string(),
  frontmatter: z.looseObject({ name: z.string(), description: z.string() }),
  files: z.array(z.object({ path: z.string(), size: z.int(), digest: z.string() })),
  warnings: z.array(warning),
  change: z.string().optional(),
  author: z.string().optional(),
  created_at: z.string().optional(),
  run: z.object({ path: z.string(), network, timeout_seconds: z.number() }).optional(),
  input_schema: jsonSchema.optional(),
  /** Set in the answer to an upload: whether the content was not there before. */
  is_new: z.boolean().optional(),
});

export const fileSchema = z.object({ path: z.string(), size: z.int(), digest: z.string(), content: z.string() });

const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  secret: z.string().optional(),
  set_by: z.string(),
  set_at: z.string(),
  secret_set_by: z.string().optional(),
  secret_set_at: z.string().optional(),
});

/** `env` is what an activation approves, by `env_digest`, which the owner alone is told; `active_env` is what the active version has. */
export const envSchema = z.object({
  env: z.array(variable),
  env_digest: z.string().optional(),
  active_env: z.array(variable).optional(),
});

export const secretSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  created_by: z.string().optional(),
  updated_at: z.string().optional(),
  used_by: z.array(z.string()),
});

export const runSchema = z.object({
  run_id: z.string(),
  skill: z.string(),
  version: z.int(),
  status: z.enum(["queued", "running", "succeeded", "failed", "timed_out", "lost"]),
  exit_code: z.int().optional(),
  output: z.string().optional(),
  stderr: z.string().optional(),
  files: z.array(z.object({ n: z.int(), name: z.string(), size: z.int() })),
  /** Whether the script printed more than is kept. */
  truncated: z.boolean().optional(),
  /** Secrets that a trial of a version that is not active did not get. */
  withheld_secrets: z.array(z.string()).optional(),
  /** Variables that such a trial did not get, because others than the version's author set them. */
  withheld_variables: z.array(z.string()).optional(),
  reason: z.string().optional(),
});

export const runFileSchema = z.object({ name: z.string(), content: z.string() });

export type Skill = z.output<typeof skillSchema>;
export type SkillDetail = z.output<typeof skillDetailSchema>;
export type Version = z.output<typeof versionSchema>;
export type Env = z.output<typeof envSchema>;
export type Variable = Env["env"][number];
export type Secret = z.output<typeof secretSchema>;
export type Run = z.output<typeof runSchema>;

/** A value of an environment variable: itself, the name of a secret, or null to remove the variable. */
export type EnvValue = string | { secret: string } | null;
