// What is wrong with a body, as the messages that clients know: `messages.0.role: Input should be 'user' or 'assistant'`.
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const typeNames: Record<string, string> = { int: "integer", array: "list", object: "dictionary", record: "dictionary" };

/** The message for one issue, without its path: the `error` option of a parse. */
export function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return "Field required";
  switch (issue.code) {
    case "invalid_type":
      return `Input should be a valid ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `Input should be ${issue.values.map((value) => `'${String(value)}'`).join(" or ")}`;
    case "too_small":
      return issue.origin === "number" ? `Input should be greater than or equal to ${issue.minimum}` : undefined;
    case "too_big":
      return issue.origin === "number" ? `Input should be less than or equal to ${issue.maximum}` : undefined;
    case "unrecognized_keys":
      return "Extra inputs are not permitted";
    case "invalid_union":
      return unknownTag(issue.input);
    default:
      return undefined;
  }
}

function unknownTag(input: unknown): string {
  const type = (input as { type?: unknown } | null)?.type;
  if (type === undefined) return "Field required";
  return `Input tag '${String(type)}' found using 'type' does not match any of the expected tags`;
}

/** The first thing that is wrong, as path and message. `above` is the path of what was parsed. */
export function firstProblem(error: z.ZodError, above: PropertyKey[]): string {
  const [path, message] = furthest(error.issues[0] as Issue, above);
  return `${path.map(String).join(".")}: ${message}`;
}

function furthest(issue: Issue, above: PropertyKey[]): [PropertyKey[], string] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    const tag = path.at(-1) === "cache_control" ? ["ephemeral"] : [];
    return [[...path, ...tag, issue.keys[0] ?? ""], issue.message];
  }
  if (issue.code !== "invalid_union") return [path, issue.message];
  // A union of text and list reports the branch that got furthest; one that `type` decides reports itself.
  const [branch] = issue.errors
    .flatMap(([first]) => first ?? [])
    .sort((one, other) => other.path.length - one.path.length);
  if (branch) return furthest(branch, path);
  return [issue.message === "Field required" ? path : path.slice(0, -1), issue.message];
}
