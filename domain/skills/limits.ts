// The limits of skills: what an upload, a workspace and a skill's environment may hold.

/** Limits of one upload. Three megabytes are four in base64, which fits into the six that Lambda takes (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). */
export const uploadLimits = {
  files: 200,
  fileBytes: 1024 * 1024,
  bytes: 3 * 1024 * 1024,
  instructionsBytes: 64 * 1024,
  frontmatterBytes: 16 * 1024,
  schemaBytes: 32 * 1024,
  /** Names of tools end at 64 characters, and clients put `mcp__skills__` before them. */
  nameLength: 48,
  /** agentskills.io/specification */
  descriptionLength: 1_024,
  compatibilityLength: 500,
  pathLength: 200,
  changeLength: 500,
} as const;

/** Limits of a workspace. Which of a skill's versions goes when there is one more is decided in skill-upload.ts. */
export const workspaceLimits = { skills: 100, active: 50, versions: 50, secrets: 50 } as const;

export const environmentLimits = {
  variables: 50,
  valueBytes: 4 * 1024,
  secretBytes: 8 * 1024,
  nameLength: 128,
  /** An approval is one row of the table, which has 400 KB at the most. */
  approvedBytes: 340 * 1024,
} as const;

/** Seconds that a run may take. */
export const runSeconds = { usual: 60, most: 300 } as const;
