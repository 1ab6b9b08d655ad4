// What the program declares: its inputs are checked, and it replaces what is stored of it, as a deployment would.
import * as z from "zod";
import type { Collection } from "../store.ts";

/** An input or output that is known and changes nothing here. */
export const noBehaviour = z.unknown().optional();

/**
 * The inputs and outputs of a declared resource, as `schema` has them. Absent and null are the same.
 * @throws Error that lists every input that is unknown or has a value that is not emulated.
 */
export function readDeclared<T extends z.ZodType>(what: string, schema: T, inputs: unknown): z.output<T> {
  const present: unknown = JSON.parse(JSON.stringify(inputs, (_key, value) => (value === null ? undefined : value)));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new Error(`Cognito: ${what}\n  ${problems(parsed.error).join("\n  ")}`);
}

/** One line for each thing that is wrong. */
export function problems(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.join(".");
    if (issue.code !== "unrecognized_keys") return [`${path}: ${issue.message}`];
    return issue.keys.map((key) => `${path ? `${path}.${key}` : key}: not emulated`);
  });
}

/** A record that comes either from the program or from a call at run time. */
export type Declarable = { id: string; declared: boolean };

/** The program's records replace what is stored of it, what it no longer declares goes, what calls created stays. */
export function deploy<T extends Declarable>(stored: Collection<T>, declared: T[]): void {
  for (const record of stored.all()) if (record.declared) stored.delete(record.id);
  for (const record of declared) stored.put(record.id, record);
}
