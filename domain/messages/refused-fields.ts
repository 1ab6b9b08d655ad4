// Takes the fields out of a body that the model is known to refuse, by the paths of the capability table.
import type { RefusedField } from "../catalog/capability.ts";
import { list, record } from "../kernel/json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { kindOf, withoutTypes } from "./named-field.ts";

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
  return fields.filter((field) => take(body, stepsOf(field), field, body)).map(nameOf);
}

function nameOf({ path, type, value }: RefusedField): string {
  if (value !== undefined) return `${path}=${value}`;
  return type === undefined ? withoutTypes(path) : `${path}.type=${type}`;
}

/** Whether anything was taken. Recursion ends with the path, so no body is too deep for it. */
function take(holder: Fields, [step, ...rest]: Step[], field: RefusedField, body: Fields): boolean {
  if (!step) return false;
  const { name, depth, kind } = step;
  if (!Object.hasOwn(holder, name)) return false;
  if (rest.length === 0) return takeFrom(holder, name, field, body);
  const all = depth === 0 ? [holder[name]] : list(holder[name]).flat(depth - 1);
  const elements = kind === undefined ? all : all.filter((element) => kindOf(element) === kind);
  const changed = elements.filter((element) => take(record(element), rest, field, body));
  if (changed.length === 0) return false;
  if (depth === 0 && Object.keys(record(holder[name])).length === 0) delete holder[name];
  if (depth === 1 && changed.some(isEmptyTurn)) {
    const gone = new Set(changed.filter(isEmptyTurn));
    holder[name] = all.filter((element) => !gone.has(element));
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

function takeFrom(
  holder: Fields,
  name: string,
  { path, type, value, refusal, if_offered }: RefusedField,
  body: Fields,
): boolean {
  if (value !== undefined && holder[name] !== value) return false;
  if (type === undefined) {
    if (refusal && !isEmpty(holder[name])) throw refused(withoutTypes(path), refusal);
    delete holder[name];
    return true;
  }
  const elements = Array.isArray(holder[name]) ? holder[name] : [holder[name]];
  const taken = elements.filter((element) => isOfType(element, type));
  if (taken.length === 0) return false;
  const others = elements.filter((element) => !isOfType(element, type));
  if (refusal && !(if_offered && others.length > 0 && isMerelyOffered(taken, body))) {
    const named = String(record(taken[0]).type).slice(0, maxNameLength);
    throw refused(path.endsWith("[]") ? named : `${path}.type=${type}`, refusal);
  }
  if (others.length > 0) holder[name] = others;
  else delete holder[name];
  return true;
}

/** Whether the model need not use the tools, and has not used them in any turn. */
function isMerelyOffered(tools: readonly unknown[], { tool_choice, messages }: Fields): boolean {
  const names = new Set(tools.map((tool) => record(tool).name));
  const families = tools.map((tool) => String(record(tool).type).replace(/_(?:\d+|toolset)$/, ""));
  const { type, name } = record(tool_choice);
  const isUsed = (block: unknown) => {
    const { type: kind, name: tool } = record(block);
    return families.some((family) => String(kind).includes(family)) || (kind === "server_tool_use" && names.has(tool));
  };
  return (
    !(type === "tool" && names.has(name)) && !list(messages).some((turn) => list(record(turn).content).some(isUsed))
  );
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

/** If `kind` is set, only what is of this kind counts, as patterns of fields that the host named have it (named-field.ts). */
type Step = { name: string; depth: number; kind?: string | undefined };

/** Steps are parsed once for each field of the catalog, which every request needs. Those of a field that the host named go with it. */
const parsedSteps = new WeakMap<RefusedField, Step[]>();

function stepsOf(field: RefusedField): Step[] {
  const known = parsedSteps.get(field);
  if (known) return known;
  const steps = field.path.split(".").map((step) => {
    const [place = "", kind] = step.split(":");
    return { name: place.replaceAll("[]", ""), depth: place.split("[]").length - 1, kind };
  });
  parsedSteps.set(field, steps);
  return steps;
}
