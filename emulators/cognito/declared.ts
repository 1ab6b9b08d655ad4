// Declared resources: their inputs are checked, and they replace the stored ones, as a deployment would.
import * as z from "zod";
import { problemsOf } from "../aws/input.ts";
import type { Collection } from "../store.ts";

/** The schema of an input or output that is known and has no effect here. */
export const noBehaviour = z.unknown().optional();

/**
 * Reads the inputs and outputs of a declared resource. Absent and null are the same.
 * @throws Error that lists every input that is unknown or has a value that is not emulated.
 */
export function readDeclared<T extends z.ZodType>(what: string, schema: T, inputs: unknown): z.output<T> {
  const present: unknown = JSON.parse(JSON.stringify(inputs, (_key, value) => (value === null ? undefined : value)));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new Error(`Cognito: ${what}\n  ${problemsOf(parsed.error).join("\n  ")}`);
}

/** A record that comes either from the program or from a call. */
export type Declarable = { id: string; declared: boolean };

/** Replaces the stored records of the program. A record that is no longer declared goes; a record that a call created stays. */
export function deploy<T extends Declarable>(stored: Collection<T>, declared: T[]): void {
  for (const record of stored.all()) if (record.declared) stored.delete(record.id);
  for (const record of declared) stored.put(record.id, record);
}
