// The environment of a skill's script: names with values, or with the names of secrets. Values are never shown.
import * as z from "zod";
import { fields } from "../kernel/validation.ts";
import { environmentLimits } from "./limits.ts";

/**
 * Names that decide how a shell, a loader or an interpreter starts, and those that the platform and AWS use themselves: whoever sets one changes what
 * the reviewed script does.
 */
const reservedNames = /^(?:PATH|HOME|IFS|ENV|BASH_ENV|NODE_OPTIONS|(?:AWS|ARCHWAY|LD|DYLD)_.*|PYTHON.*)$/;
const reservedText = "PATH, HOME, IFS, ENV, BASH_ENV, NODE_OPTIONS, AWS_*, ARCHWAY_*, LD_*, DYLD_*, PYTHON*";

const nameText = /^[A-Z][A-Z0-9_]*$/;

const variableName = z
  .string()
  .max(environmentLimits.nameLength, `must have at most ${environmentLimits.nameLength} characters`)
  .regex(nameText, "must be of A-Z, 0-9 and _, and begin with a letter")
  .refine((name) => !reservedNames.test(name), `must be none of ${reservedText}`);

export const secretName = z
  .string()
  .max(environmentLimits.nameLength, `must have at most ${environmentLimits.nameLength} characters`)
  .regex(nameText, "must be of A-Z, 0-9 and _, and begin with a letter");

const { valueBytes } = environmentLimits;

/** A value has one line: a text of several lines belongs into a secret or into a file. */
const value = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= valueBytes, `must have at most ${valueBytes} bytes`)
  .refine((text) => !/[^\P{Cc}\t]|\p{Surrogate}/u.test(text), "must be one line without control characters");

const reference = fields({ secret: secretName.describe("The name of a secret of the workspace") });

const wanted = "must be a text, { secret: NAME } or null";

/** A change of the environment: a name gets a value or a secret, and null takes it away. */
export const environmentChange = z.record(
  variableName,
  z.union([value, reference, z.null()], { error: () => wanted }),
  {
    error: (issue) => (issue.code === "invalid_key" ? issue.issues[0]?.message : undefined),
  },
);

export type EnvironmentChange = z.output<typeof environmentChange>;

const variable = z.union([z.object({ value: z.string() }), z.object({ secret: z.string() })]);

export const environmentRecordSchema = z.object({
  tenant_id: z.string(),
  name: z.string(),
  env: z.record(z.string(), variable),
});

/** A skill's environment as the table keeps it. The runner alone reads the values. */
export type EnvironmentRecord = z.output<typeof environmentRecordSchema>;
export type Environment = EnvironmentRecord["env"];

export const shownVariableSchema = z
  .object({
    name: z.string().describe("The variable's name"),
    secret: z.string().optional().describe("The secret that it has the value of; missing for a value of its own"),
  })
  .meta({ id: "SkillVariable", description: "A variable of a skill's environment, without its value" });

export type ShownVariable = z.output<typeof shownVariableSchema>;

export interface EnvironmentStore {
  /** The environment of a skill; empty for a skill that has none. */
  of(tenantId: string, name: string): Promise<Environment>;
}

/** The environment as people see it: names and secrets without values, in the order of the names. */
export function shownEnvironment(environment: Environment): ShownVariable[] {
  return Object.entries(environment)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, variable]) => ({ name, ...("secret" in variable && { secret: variable.secret }) }));
}

/** The environment after the change. */
export function changedEnvironment(environment: Environment, change: EnvironmentChange): Environment {
  const next = new Map(Object.entries(environment));
  for (const [name, given] of Object.entries(change)) {
    if (given === null) next.delete(name);
    else next.set(name, typeof given === "string" ? { value: given } : given);
  }
  return Object.fromEntries(next);
}

/** The secrets that an environment refers to, each once. */
export function secretsIn(environment: Environment): string[] {
  const names = Object.values(environment).flatMap((variable) => ("secret" in variable ? [variable.secret] : []));
  return [...new Set(names)].toSorted();
}
