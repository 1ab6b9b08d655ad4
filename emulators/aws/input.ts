// A call's or a resource's input, checked by its schema.
import type * as z from "zod";
import { AwsError } from "./service.ts";

/** @throws AwsError with this code that lists every problem of the input. */
export function parsedInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  errorCode: string,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AwsError(errorCode, problemsOf(parsed.error).join("; "));
}

/** Describes each problem in a line. A member that the schema does not know is one that the local stack does not emulate. */
export function problemsOf(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${[...issue.path, key].join(".")}: not emulated`);
    }
    return [`${issue.path.join(".")}: ${issue.message}`];
  });
}
