// Validates a request with a schema: returns the parsed value, or throws one refusal that names every wrong field and what is allowed.
import * as z from "zod";
import { Refusal, type WrongField } from "./refusal.ts";

/** A schema of an object. Unknown fields are refused with the names of the known ones. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  const allowed = names.length > 0 ? `allowed: ${names.join(", ")}` : "none is allowed here";
  return z.strictObject(shape, { error: (issue) => (issue.code === "unrecognized_keys" ? allowed : undefined) });
}

/**
 * @param part name of the value in messages, e.g. `body`
 * @throws Refusal invalid_request.
 */
export function parseRequest<T extends z.ZodType>(schema: T, value: unknown, part: string): z.output<T> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => explain(issue, part));
  const message = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new Refusal("invalid_request", message, { fields: problems });
}

function explain(issue: z.core.$ZodIssue, part: string): WrongField[] {
  const fieldAt = (path: PropertyKey[]) => (path.length > 0 ? path.map(String).join(".") : part);
  if (issue.code === "unrecognized_keys") {
    const message = `unknown field, ${issue.message}`;
    return issue.keys.map((name) => ({ path: fieldAt([...issue.path, name]), message }));
  }
  return [{ path: fieldAt(issue.path), message: wording(issue) }];
}

function wording(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined && (issue.code === "invalid_type" || issue.code === "invalid_value")) {
    return "is required";
  }
  return issue.message.replace(/^(Invalid input|Invalid option|Too small|Too big): /, "");
}
