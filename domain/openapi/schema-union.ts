// The union of plain schemas, for `oneOf`, `anyOf` and a list of types.
import { list, record } from "../kernel/json.ts";
import { own, type PlainSchema, type Rewriting, shortened } from "./plain-schema.ts";

const longestDescription = 500;

const scalars = ["string", "number", "integer", "boolean"];

/** The plain schema that lets through what one of several plain schemas does. */
export function unionOf(
  rewriting: Rewriting,
  alternatives: readonly PlainSchema[],
  { at }: { at: string },
  titles: readonly string[],
): PlainSchema {
  const [first = {}, ...others] = distinct(alternatives);
  if (others.length === 0) return first;
  const all = [first, ...others];
  const isNullable = all.some(({ nullable }) => nullable === true) && { nullable: true };
  const types = new Set(all.map(({ type }) => type));
  const listed = all.every((one) => Array.isArray(one.enum));
  if (types.size === 1 && listed)
    return { ...first, ...isNullable, enum: [...new Set(all.flatMap((one) => list(one.enum)))] };
  if (all.every(isObject)) return { ...objectUnion(rewriting, alternatives, at, titles), ...isNullable };
  if (types.size === 1 && first.type === "array") {
    const items = unionOf(
      rewriting,
      all.map((one) => record(one.items)),
      { at: `${at}.items` },
      [],
    );
    return { ...described(all), ...isNullable, type: "array", items };
  }
  if ([...types].every((type) => scalars.includes(String(type)))) {
    return { ...scalarUnion(rewriting, all, types, at), ...isNullable };
  }
  const array = all.find((one) => one.type === "array" && types.has(record(one.items).type as string));
  if (array && types.size === 2) {
    rewriting.lose("union_narrowed", at, "is offered as a list only");
    return { ...array, ...isNullable };
  }
  rewriting.lose("union_narrowed", at, `is offered as ${String(first.type ?? "its first form")} only`);
  return { ...first, ...isNullable };
}

function scalarUnion(
  rewriting: Rewriting,
  all: readonly PlainSchema[],
  types: ReadonlySet<unknown>,
  at: string,
): PlainSchema {
  const [type] = types;
  if (types.size === 1) {
    rewriting.lose("union_widened", at, `is offered as any ${String(type)}`);
    return { ...described(all), type };
  }
  if ([...types].every((one) => one === "number" || one === "integer")) return { ...described(all), type: "number" };
  if (rewriting.inText) return { ...described(all), type: "string" };
  const narrower = types.has("string") ? "string" : String(type);
  rewriting.lose("union_narrowed", at, `is offered as ${narrower} only`);
  return { ...described(all), type: narrower };
}

/** All members of all alternatives; required are the members that each alternative requires. */
function objectUnion(
  rewriting: Rewriting,
  alternatives: readonly PlainSchema[],
  at: string,
  titles: readonly string[],
): PlainSchema {
  const required = alternatives.map((one) => list(one.required) as string[]);
  const names = [...new Set(alternatives.flatMap((one) => Object.keys(record(one.properties))))];
  const properties = names.map((name) => {
    const found = alternatives.flatMap((one) => {
      const member = own(one.properties, name);
      return member ? [member] : [];
    });
    return [name, unionOf(rewriting, found, { at: `${at}.${name}` }, [])];
  });
  const forms = required.map((each, index) => {
    const title = titles[index] ?? `form ${index + 1}`;
    return each.length === 0 ? title : `${title} (${each.slice(0, 10).join(", ")})`;
  });
  rewriting.lose("union_widened", at, "is offered with the members of all its forms");
  const { description } = described(alternatives);
  const oneOf = shortened(`One of: ${forms.join("; ")}`, longestDescription);
  return {
    type: "object",
    description: description === undefined ? oneOf : `${description} ${oneOf}`,
    ...(names.length > 0 && { properties: Object.fromEntries(properties) }),
    required: required.reduce((common, each) => common.filter((name) => each.includes(name))),
  };
}

/** An object, or conditions on one: an alternative often only says what is required. */
function isObject({ type, required, properties, ...others }: PlainSchema): boolean {
  if (type !== undefined) return type === "object";
  return (required !== undefined || properties !== undefined) && Object.keys(others).length === 0;
}

function described(schemas: readonly PlainSchema[]): { description?: unknown } {
  const found = schemas.find(({ description }) => description !== undefined);
  return found ? { description: found.description } : {};
}

function distinct(schemas: readonly PlainSchema[]): PlainSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
