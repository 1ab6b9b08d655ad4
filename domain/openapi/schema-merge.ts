// The intersection of plain schemas, for `allOf`.
import { list, record } from "../kernel/json.ts";
import { own, type PlainSchema, type Rewriting } from "./plain-schema.ts";

const smaller = ["maximum", "maxLength", "maxItems", "maxProperties"];
const larger = ["minimum", "minLength", "minItems", "minProperties"];

/** Both schemas in one. Where the two contradict each other, the first one counts. */
export function merged(rewriting: Rewriting, one: PlainSchema, other: PlainSchema, at: string): PlainSchema {
  const result = new Map(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    const mine = result.get(name);
    if (mine === undefined) result.set(name, value);
    else if (name === "properties") result.set(name, mergedMembers(rewriting, record(mine), record(value), at));
    else if (name === "required") result.set(name, [...new Set([...list(mine), ...list(value)])]);
    else if (smaller.includes(name)) result.set(name, Math.min(Number(mine), Number(value)));
    else if (larger.includes(name)) result.set(name, Math.max(Number(mine), Number(value)));
    else if (name === "enum")
      result.set(
        name,
        list(mine).filter((each) => list(value).includes(each)),
      );
    else if (name === "items") result.set(name, merged(rewriting, record(mine), record(value), `${at}.items`));
    else if (name === "type" && mine === "number" && value === "integer") result.set(name, value);
    else if (isContradiction(name, mine, value)) rewriting.lose("conflict", at, `has two values of ${name}`);
  }
  return Object.fromEntries(result);
}

function mergedMembers(rewriting: Rewriting, one: PlainSchema, other: PlainSchema, at: string): PlainSchema {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(
    names.map((name) => {
      const [mine, its] = [own(one, name), own(other, name)];
      return [name, mine && its ? merged(rewriting, mine, its, `${at}.${name}`) : (mine ?? its)];
    }),
  );
}

/** Texts and defaults say nothing of what is allowed. */
function isContradiction(name: string, mine: unknown, other: unknown): boolean {
  if (["description", "default", "nullable", "additionalProperties"].includes(name)) return false;
  if (name === "type" && mine === "integer" && other === "number") return false;
  return JSON.stringify(mine) !== JSON.stringify(other);
}
