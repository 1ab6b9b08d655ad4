// References within an OpenAPI document. One that leads anywhere else is never followed: whoever follows references fetches what the
// document's author names.
import { record } from "../kernel/json.ts";
import { Unsupported } from "./unsupported.ts";

/** A chain of references that is longer leads in a circle, or is meant to look like one. */
const longestChain = 100;

/** A value, and the references by which it was reached. */
export type Followed = { value: Record<string, unknown>; reached: readonly string[] };

/**
 * The value, or the value to which its reference leads. Members beside `$ref` count, as OpenAPI 3.1 has them.
 * @param reached references that led to the value
 * @returns undefined where the references lead in a circle
 * @throws Unsupported for a reference that leaves the document or leads to nothing
 */
export function follow(document: unknown, given: unknown, reached: readonly string[] = []): Followed | undefined {
  const { $ref: reference, ...beside } = record(given);
  if (typeof reference !== "string") return { value: record(given), reached };
  if (reached.includes(reference)) return undefined;
  if (!reference.startsWith("#")) {
    throw new Unsupported("external_reference", `refers to ${cut(reference)}, which is outside the document`);
  }
  const target = targetOf(document, reference);
  if (target === undefined)
    throw new Unsupported("dangling_reference", `refers to ${cut(reference)}, which is missing`);
  if (reached.length >= longestChain)
    throw new Unsupported("dangling_reference", "has a chain of references without an end");
  const found = follow(document, target, [...reached, reference]);
  return found && { value: { ...found.value, ...beside }, reached: found.reached };
}

function cut(reference: string): string {
  return reference.length > 100 ? `${reference.slice(0, 100)}...` : reference;
}

function targetOf(document: unknown, reference: string): unknown {
  let value: unknown = document;
  for (const step of reference.replace(/^#\/?/, "").split("/").map(decoded)) {
    const object = record(value);
    if (!Object.hasOwn(object, step)) return undefined;
    value = object[step];
  }
  return value;
}

/** A step of a JSON pointer in a URI fragment (RFC 6901, section 6). */
function decoded(step: string): string {
  const text = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
