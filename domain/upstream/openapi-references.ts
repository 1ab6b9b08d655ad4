// References within an OpenAPI document. One that leads anywhere else is refused before anything follows it: whoever follows references
// would fetch what the document's author names.
import { record } from "../kernel/json.ts";
import type { SpecProblem } from "./openapi-problem.ts";

const local = /^#\//;

/** Every reference that leaves the document. */
export function externalReferences(document: unknown): SpecProblem[] {
  const problems: SpecProblem[] = [];
  const walk = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const at = path === "" ? name : `${path}.${name}`;
      // `$ref` may also be the name of a property that a schema describes; then it is no text.
      if ((name === "$ref" || name === "$dynamicRef") && typeof member === "string" && !local.test(member)) {
        const message = "must begin with #/: a reference may not leave the document";
        problems.push({ code: "external_reference", path: at, message });
      }
      // Further ways of JSON Schema and OpenAPI 3 to name another document.
      if ((name === "operationRef" || name === "externalValue") && typeof member === "string" && !local.test(member)) {
        problems.push({ code: "external_reference", path: at, message: "may not leave the document" });
      }
      walk(member, at);
    }
  };
  walk(document, "");
  return problems;
}

/** Resolves a reference to its value and place; undefined if nothing is there. */
export function resolve(document: unknown, reference: string): { value: unknown; path: string } | undefined {
  let value: unknown = document;
  const steps = reference.slice(2).split("/").map(decoded);
  for (const step of steps) {
    const object = record(value);
    if (!Object.hasOwn(object, step)) return undefined;
    value = object[step];
  }
  return { value, path: steps.join(".") };
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
