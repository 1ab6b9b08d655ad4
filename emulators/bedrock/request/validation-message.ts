// The messages of validation errors as clients know them: `messages.0.role: Input should be 'user' or 'assistant'`.
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const typeNames: Record<string, string> = { int: "integer", array: "list", object: "dictionary", record: "dictionary" };

/**
 * The message for one issue, without its path: the `error` option of a parse. It has words for every kind of issue, so none
 * of the validator's own ever leaves the host.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return "Field required";
  switch (issue.code) {
    case "invalid_type":
      return `Input should be a valid ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `Input should be ${issue.values.map(quoted).join(" or ")}`;
    case "too_small":
      return outOfRange(issue.origin, "least", Number(issue.minimum), issue.input);
    case "too_big":
      return outOfRange(issue.origin, "most", Number(issue.maximum), issue.input);
    case "unrecognized_keys":
      return "Extra inputs are not permitted";
    case "invalid_union":
      return noBranch(issue);
    default:
      return "Input should be valid";
  }
}

/** The message for an unknown tag. */
export function unknownTag(tag: unknown, expected: string[]): string {
  const tags = [...expected].sort().map(quoted).join(", ");
  return `Input tag '${String(tag)}' found using 'type' does not match any of the expected tags: ${tags}`;
}

const quoted = (value: unknown) => `'${String(value)}'`;

function outOfRange(origin: string, bound: "least" | "most", limit: number, input: unknown): string {
  const count = (unit: string) => `at ${bound} ${limit} ${unit}${limit === 1 ? "" : "s"}`;
  if (origin === "string") return `String should have ${count("character")}`;
  if (origin === "array")
    return `List should have ${count("item")} after validation, not ${(input as unknown[]).length}`;
  return `Input should be ${bound === "least" ? "greater" : "less"} than or equal to ${limit}`;
}

function noBranch({ input, inst }: z.core.$ZodRawIssue): string {
  const { discriminator, options = [] } = (inst?._zod.def ?? {}) as {
    discriminator?: string;
    options?: z.core.$ZodType[];
  };
  if (discriminator === undefined || typeof input !== "object" || input === null)
    return "Input should be a valid dictionary";
  const tag = (input as Record<string, unknown>)[discriminator];
  if (tag === undefined) return "Field required";
  if (discriminator === "role") return "Input should be 'user' or 'assistant'";
  return unknownTag(
    tag,
    options.flatMap((option) => [...(option._zod.propValues?.[discriminator] ?? [])].map(String)),
  );
}

/** The first error as path and message. `above` is the path of the parsed value. */
export function firstProblem(error: z.ZodError, above: PropertyKey[]): string {
  const [path, message] = furthest(error.issues[0] as Issue, above);
  return `${path.map(String).join(".")}: ${message}`;
}

/** Blocks of a turn and breakpoints of the cache are named with their type. */
function tagOf(path: PropertyKey[], value: unknown): string[] {
  if (path.at(-1) === "cache_control") return ["ephemeral"];
  const { type } = (value ?? {}) as { type?: unknown };
  return path.at(-2) === "content" && typeof type === "string" ? [type] : [];
}

function furthest(issue: Issue, above: PropertyKey[]): [PropertyKey[], string] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return [[...path, ...tagOf(path, issue.input), issue.keys[0] ?? ""], issue.message];
  }
  if (issue.code !== "invalid_union") return [path, issue.message];
  // A union of text and list reports the branch that got furthest; one that `type` decides reports itself.
  const [branch] = issue.errors
    .flatMap(([first]) => first ?? [])
    .sort((one, other) => other.path.length - one.path.length);
  if (branch) return furthest(branch, path);
  return [issue.message.startsWith("Input tag") ? path.slice(0, -1) : path, issue.message];
}
