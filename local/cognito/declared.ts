// Reads declared resources, whose inputs are checked.
import * as z from "zod";
import { problemsOf } from "../aws/input.ts";

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
