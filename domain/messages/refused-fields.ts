// Takes the fields out of a body that the model is known to refuse, by the paths of the capability table.
import type { RefusedField } from "../catalog/capability.ts";
import { list, record } from "../kernel/json.ts";
import { Refusal } from "../kernel/refusal.ts";

type Fields = Record<string, unknown>;

/** A type that the caller wrote is cut to this length in a message. */
const maxNameLength = 64;

/**
 * Changes the body. What is empty without the field goes too: an object, and a turn that held nothing else.
 * @returns the paths of the fields that were taken out; those of list elements with their type:
 * `context_management.edits[].type=compact_20260112`; those refused for their value with the value: `thinking.display=updates`
 * @throws Refusal that names a field which is not left out, because the answer would mean something else
 */
export function leaveOut(body: Fields, fields: readonly RefusedField[]): string[] {
  return fields.filter((field) => take(body, parsedPath(field.path), field)).map(nameOf);
}

function nameOf({ path, type, value }: RefusedField): string {
  if (value !== undefined) return `${path}=${value}`;
  return type === undefined ? path : `${path}.type=${type}`;
}

/** Whether anything was taken. Recursion ends with the path, so no body is too deep for it. */
function take(holder: Fields, [step, ...rest]: Step[], field: RefusedField): boolean {
  if (!step) return false;
  const { name, depth } = step;
  if (!Object.hasOwn(holder, name)) return false;
  if (rest.length === 0) return takeFrom(holder, name, field);
  const elements = depth === 0 ? [holder[name]] : list(holder[name]).flat(depth - 1);
  const changed = elements.filter((element) => take(record(element), rest, field));
  if (changed.length === 0) return false;
  if (depth === 0 && Object.keys(record(holder[name])).length === 0) delete holder[name];
  if (depth === 1 && changed.some(isEmptyTurn)) {
    const gone = new Set(changed.filter(isEmptyTurn));
    holder[name] = elements.filter((element) => !gone.has(element));
  }
  return true;
}

/** A turn may lack content for the sake of what it holds beside it, as a directive does; without that the host refuses it. */
function isEmptyTurn(element: unknown): boolean {
  const { role, content } = record(element);
  return (
    role !== undefined && (content === undefined || content === "" || (Array.isArray(content) && content.length === 0))
  );
}

function takeFrom(holder: Fields, name: string, { path, type, value, refusal }: RefusedField): boolean {
  if (value !== undefined && holder[name] !== value) return false;
  if (type === undefined) {
    if (refusal && !isEmpty(holder[name])) throw refused(path, refusal);
    delete holder[name];
    return true;
  }
  const elements = Array.isArray(holder[name]) ? holder[name] : [holder[name]];
  const first = elements.find((element) => isOfType(element, type));
  if (first === undefined) return false;
  if (refusal)
    throw refused(
      path.endsWith("[]") ? String(record(first).type).slice(0, maxNameLength) : `${path}.type=${type}`,
      refusal,
    );
  const others = elements.filter((element) => !isOfType(element, type));
  if (others.length > 0) holder[name] = others;
  else delete holder[name];
  return true;
}

function refused(name: string, { reason, code }: NonNullable<RefusedField["refusal"]>): Refusal {
  return new Refusal(code, `${name}: is not available here, ${reason}`, { unsupported: [name] });
}

/** Whether the value asks for nothing. */
function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function isOfType(element: unknown, wanted: string): boolean {
  const { type } = record(element);
  if (typeof type !== "string") return false;
  return wanted.endsWith("*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

type Step = { name: string; depth: number };

/** The paths are the catalog's, so they are few, and each request needs them. */
const parsedPaths = new Map<string, Step[]>();

function parsedPath(path: string): Step[] {
  const known = parsedPaths.get(path);
  if (known) return known;
  const steps = path
    .split(".")
    .map((step) => ({ name: step.replaceAll("[]", ""), depth: step.split("[]").length - 1 }));
  parsedPaths.set(path, steps);
  return steps;
}
