// The environment of a skill's script as it is proposed: names with values, or with the names of secrets. Only an activation lets a script have it
// (approval.ts).
import * as z from "zod";
import { fields } from "../kernel/validation.ts";
import { environmentLimits } from "./limits.ts";
import { reservedProblem } from "./reserved-names.ts";

const nameText = /^[A-Z][A-Z0-9_]*$/;

const variableName = z
  .string()
  .max(environmentLimits.nameLength, `must have at most ${environmentLimits.nameLength} characters`)
  .regex(nameText, "must be of A-Z, 0-9 and _, and begin with a letter")
  .superRefine((name, context) => {
    const message = reservedProblem(name);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

export const secretNameSchema = z
  .string()
  .max(environmentLimits.nameLength, `must have at most ${environmentLimits.nameLength} characters`)
  .regex(nameText, "must be of A-Z, 0-9 and _, and begin with a letter");

const { valueBytes } = environmentLimits;

/** A value has one line: a text of several lines belongs into a secret or into a file. */
const value = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= valueBytes, `must have at most ${valueBytes} bytes`)
  .refine((text) => !/[^\P{Cc}\t]|\p{Surrogate}/u.test(text), "must be one line without control characters");

const reference = fields({ secret: secretNameSchema.describe("Name of a secret of the workspace") });

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

const set = { set_by: z.string(), set_at: z.iso.datetime() };
const variable = z.union([z.object({ value: z.string(), ...set }), z.object({ secret: z.string(), ...set })]);

export const environmentRecordSchema = z.object({
  tenant_id: z.string(),
  name: z.string(),
  env: z.record(z.string(), variable),
});

/** A skill's environment as the table keeps it, each variable with who set it last and when. */
export type EnvironmentRecord = z.output<typeof environmentRecordSchema>;
export type Environment = EnvironmentRecord["env"];

export interface EnvironmentStore {
  /** The environment of a skill; empty for a skill that has none. */
  of(tenantId: string, name: string): Promise<Environment>;
}

/** The environment after the change. What somebody sets as they had set it already stays theirs of that time, so that a repeat changes nothing. */
export function changedEnvironment(
  environment: Environment,
  change: EnvironmentChange,
  { by, at }: { by: string; at: string },
): Environment {
  const next = new Map(Object.entries(environment));
  for (const [name, given] of Object.entries(change)) {
    if (given === null) {
      next.delete(name);
      continue;
    }
    const what = typeof given === "string" ? { value: given } : given;
    const known = next.get(name);
    if (known?.set_by === by && isSame(known, what)) continue;
    next.set(name, { ...what, set_by: by, set_at: at });
  }
  return Object.fromEntries(next);
}

function isSame(known: Environment[string], what: { value: string } | { secret: string }): boolean {
  if ("secret" in known) return "secret" in what && known.secret === what.secret;
  return "value" in what && known.value === what.value;
}

/** The variables in the order of their names. */
export function variablesOf(environment: Environment): [name: string, variable: Environment[string]][] {
  return Object.entries(environment).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** An environment as the audit trail shows it: each name, and the secret that it refers to. */
export function namedVariables(environment: Environment): string[] {
  return variablesOf(environment).map(([name, variable]) =>
    "secret" in variable ? `${name} of ${variable.secret}` : name,
  );
}

/** The secrets that an environment refers to, each once. */
export function secretsIn(environment: Environment): string[] {
  const names = Object.values(environment).flatMap((variable) => ("secret" in variable ? [variable.secret] : []));
  return [...new Set(names)].toSorted();
}
