// Finds the field of a body that a refusal of the model host names by its path: `tools.0.custom.x`, `messages.3.content.1.cache_control.ephemeral.ttl`.
import { record } from "../kernel/json.ts";

type Fields = Record<string, unknown>;

/** Fields whose content is the caller's own: nothing in them belongs to the Messages API. */
const opaque = new Set(["input", "input_schema", "input_examples", "schema"]);

/** The form of the names and types that a pattern can hold. */
const plain = /^[\w-]*$/;

/** A way to read a path: the field's pattern; undefined if the field can be found and not be written as a pattern. */
type Reading = string | undefined;

/**
 * Returns the field's pattern, as `leaveOut` takes it: the names on the way, with `[]` for each element of a list, and with the `type` of each
 * element and object (of a turn its role), so that the pattern fits only what is of the same kind: `messages[]:user.content[]:text.signature`.
 * @param path of the field, with numbers for elements, and with the types of what it passes where the host puts them
 * @returns undefined if no field lies there, if the path can be read in two ways, or if it leads into what is the caller's own
 */
export function fieldNamed(body: Fields, path: string): string | undefined {
  const [pattern, ...others] = byKeys(body, path.split("."), "");
  return others.length === 0 ? pattern : undefined;
}

/** The pattern without types, as people write it: `messages[].content[].signature`. */
export function withoutTypes(pattern: string): string {
  return pattern.replaceAll(/:[\w-]*/g, "");
}

/** The field that a pattern names, and what holds it, by name and type: `content:text`; `:` for the body itself. */
export function heldBy(pattern: string): { holder: string; field: string } {
  const steps = pattern.split(".");
  const field = steps.pop() ?? "";
  return { holder: (steps.pop() ?? ":").replace("[]", ""), field };
}

/** A key may have dots itself, so that a path may be read in several ways. */
function byKeys(holder: Fields, path: readonly string[], before: string): Reading[] {
  return path.flatMap((_, place) => {
    const key = path.slice(0, place + 1).join(".");
    if (!Object.hasOwn(holder, key)) return [];
    const rest = path.slice(place + 1);
    const pattern = before === "" ? key : `${before}.${key}`;
    if (rest.length === 0) return [plain.test(key) ? pattern : undefined];
    if (opaque.has(key)) return [];
    const readings = below(holder[key], rest, pattern);
    return plain.test(key) ? readings : readings.map(() => undefined);
  });
}

function below(value: unknown, path: readonly string[], pattern: string): Reading[] {
  if (!Array.isArray(value)) return inside(value, path, pattern);
  const [index = "", ...rest] = path;
  return /^\d+$/.test(index) && rest.length > 0 ? inside(value[Number(index)], rest, `${pattern}[]`) : [];
}

/** Reads a path within an element or an object, whose type may come first in it. What has no type is of the type that the host names. */
function inside(value: unknown, path: readonly string[], name: string): Reading[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const holder = value as Fields;
  const [first = "", ...rest] = path;
  const kind = kindOf(holder);
  const pattern = `${name}:${kind}`;
  const isType = typeof holder.type === "string" ? holder.type === first : !Object.hasOwn(holder, first);
  const readings = [...byKeys(holder, path, pattern), ...(isType ? byKeys(holder, rest, pattern) : [])];
  return plain.test(kind) ? readings : readings.map(() => undefined);
}

/** The type of an element or object, or the role of a turn; empty for what has neither. */
export function kindOf(value: unknown): string {
  const { type, role } = record(value);
  return typeof type === "string" ? type : typeof role === "string" ? role : "";
}
