// JSON schemas in the plain form that a tool's input has at AgentCore: one type, no oneOf, anyOf, allOf, not, and no references
// (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-schema-openapi.html, "Key considerations and limitations").
// Each step is exact, or lets more or less through than the document and is noted as a loss.
import { list, record } from "../kernel/json.ts";
import { type PlainSchema, type Rewriting, shortened } from "./plain-schema.ts";
import { follow } from "./references.ts";
import { merged } from "./schema-merge.ts";
import { unionOf } from "./schema-union.ts";
import { Unsupported } from "./unsupported.ts";

type Place = { at: string; depth: number; reached: readonly string[] };

const longestDescription = 500;

/** Keywords that a plain schema keeps as they are. */
const keptKeywords = [
  ...["format", "pattern", "minLength", "maxLength", "minimum", "maximum", "multipleOf"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "nullable"],
];

/** Keywords whose conditions a plain schema cannot say. */
const conditions = [
  ...["not", "if", "dependentSchemas", "dependentRequired", "dependencies"],
  ...["patternProperties", "contains", "prefixItems"],
];

/** @throws Unsupported for references that lead to nothing, and for a schema with too many places */
export function plainSchema(rewriting: Rewriting, schema: unknown, at: string): PlainSchema {
  return withoutLoose(plain(rewriting, schema, { at, depth: 0, reached: [] }));
}

function plain(rewriting: Rewriting, given: unknown, { at, depth, reached }: Place): PlainSchema {
  rewriting.left.places -= 1;
  if (rewriting.left.places < 0) throw new Unsupported("too_large", "has a schema with too many places");
  const found = follow(rewriting.document, given, reached);
  const place = { at, depth, reached: found?.reached ?? reached };
  if (!found || depth > rewriting.deepest) {
    rewriting.lose("nesting_cut", at, found ? "is nested too deeply to be described" : "contains itself");
    return { ...cutOff(found?.value), description: "More members than this schema shows are allowed" };
  }
  const { allOf, anyOf, oneOf, ...base } = found.value;
  const parts = [simple(rewriting, base, place)];
  for (const part of list(allOf)) parts.push(plain(rewriting, part, place));
  for (const alternatives of [anyOf, oneOf]) {
    if (list(alternatives).length > 0) parts.push(alternativesOf(rewriting, list(alternatives), place));
  }
  return parts.reduce((whole, part) => merged(rewriting, whole, part, at));
}

function cutOff(schema: Record<string, unknown> | undefined): PlainSchema {
  return schema && typeOf(schema) === "array" ? { type: "array", items: { type: "object" } } : { type: "object" };
}

/** A schema without allOf, anyOf and oneOf. */
function simple(rewriting: Rewriting, schema: Record<string, unknown>, place: Place): PlainSchema {
  const { at, depth, reached } = place;
  const types = list(schema.type);
  const named = types.filter((type) => type !== "null");
  if (named.length > 1) {
    const { type: _, nullable: __, ...rest } = schema;
    const alternatives = named.map((type) => simple(rewriting, { ...onlyFor(type, rest), type }, place));
    const union = unionOf(rewriting, alternatives, place, []);
    return named.length < types.length ? { ...union, nullable: true } : union;
  }
  for (const keyword of conditions) {
    if (schema[keyword] !== undefined) rewriting.lose("condition_left_out", at, `has a condition by ${keyword}`);
  }
  const inside = (name: string, member: unknown) =>
    plain(rewriting, member, { at: `${at}.${name}`, depth: depth + 1, reached });
  const isNullable = named.length < types.length || schema.type === "null";
  const type = named.length === 1 ? named[0] : typeOf(schema);
  const values = valuesOf(schema);
  return {
    ...(typeof type === "string" && type !== "null" && { type }),
    ...(typeof schema.description === "string" && { description: shortened(schema.description, longestDescription) }),
    ...Object.fromEntries(keptKeywords.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]))),
    ...bound(schema, "exclusiveMinimum", "minimum"),
    ...bound(schema, "exclusiveMaximum", "maximum"),
    ...(isNullable && { nullable: true }),
    ...(values && { enum: values.filter((value) => value !== null) }),
    ...(values?.includes(null) && { nullable: true }),
    ...(schema.default !== undefined && schema.default !== null && { default: schema.default }),
    ...(Object.keys(record(schema.properties)).length > 0 && { properties: members(rewriting, schema, place) }),
    ...(Array.isArray(schema.required) && { required: schema.required.filter((name) => typeof name === "string") }),
    ...(type === "array" && { items: schema.items === undefined ? {} : inside("items", schema.items) }),
    ...(typeof schema.additionalProperties === "boolean" && { additionalProperties: schema.additionalProperties }),
    ...(typeof schema.additionalProperties === "object" &&
      schema.additionalProperties !== null && { additionalProperties: inside("*", schema.additionalProperties) }),
  };
}

/** The members of an object, without those that only answers have. */
function members(rewriting: Rewriting, { properties }: Record<string, unknown>, { at, depth, reached }: Place) {
  return Object.fromEntries(
    Object.entries(record(properties)).flatMap(([name, member]) => {
      if (follow(rewriting.document, member, reached)?.value.readOnly === true) return [];
      return [[name, plain(rewriting, member, { at: `${at}.${name}`, depth: depth + 1, reached })]];
    }),
  );
}

/** A bound of OpenAPI 3.1 in the form of 3.0, in which `exclusiveMinimum` is said of `minimum`. */
function bound(schema: Record<string, unknown>, exclusive: string, inclusive: string): PlainSchema {
  const value = schema[exclusive];
  if (typeof value === "number") return { [inclusive]: value, [exclusive]: true };
  return value === true ? { [exclusive]: true } : {};
}

function valuesOf(schema: Record<string, unknown>): unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

function typeOf(schema: Record<string, unknown>): string | undefined {
  if (typeof schema.type === "string") return schema.type;
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return "object";
  if (schema.items !== undefined) return "array";
  const types = new Set((valuesOf(schema) ?? []).filter((value) => value !== null).map((value) => typeof value));
  const [type = ""] = types;
  return types.size === 1 && ["string", "number", "boolean"].includes(type) ? type : undefined;
}

/** The keywords that say something of a value of this type. */
function onlyFor(type: unknown, schema: Record<string, unknown>): Record<string, unknown> {
  const { items, properties, required, additionalProperties, enum: values, default: standard, ...rest } = schema;
  const isOfType = (value: unknown) => (type === "integer" ? Number.isInteger(value) : typeof value === type);
  return {
    ...rest,
    ...(type === "array" && { items }),
    ...(type === "object" && { properties, required, additionalProperties }),
    ...(Array.isArray(values) && { enum: values.filter(isOfType) }),
    ...(isOfType(standard) && { default: standard }),
  };
}

function alternativesOf(rewriting: Rewriting, given: readonly unknown[], place: Place): PlainSchema {
  const titles: string[] = [];
  let isNullable = false;
  const alternatives = given.flatMap((one) => {
    const value = follow(rewriting.document, one, place.reached)?.value ?? {};
    if (value.type === "null" || (Array.isArray(value.enum) && value.enum.every((each) => each === null))) {
      isNullable = true;
      return [];
    }
    titles.push(titleOf(one, value, titles.length));
    return [plain(rewriting, one, place)];
  });
  const union = alternatives.length === 0 ? {} : unionOf(rewriting, alternatives, place, titles);
  return isNullable ? { ...union, nullable: true } : union;
}

function titleOf(given: unknown, { title }: Record<string, unknown>, index: number): string {
  const { $ref } = record(given);
  if (typeof title === "string" && title !== "") return shortened(title, 60);
  return typeof $ref === "string" ? ($ref.split("/").at(-1) ?? "") : `form ${index + 1}`;
}

/** The schema without required members that nothing describes: they are members of answers, or of a form that was left out. */
function withoutLoose(schema: PlainSchema): PlainSchema {
  const { properties, required, items, additionalProperties, ...others } = schema;
  const kept = Object.entries(record(properties)).map(([name, member]) => [name, withoutLoose(record(member))]);
  const names = new Set(kept.map(([name]) => name));
  const needed = list(required).filter((name) => names.has(name as string));
  const more =
    typeof additionalProperties === "object" ? withoutLoose(record(additionalProperties)) : additionalProperties;
  return {
    ...others,
    ...(kept.length > 0 && { properties: Object.fromEntries(kept) }),
    ...(needed.length > 0 && { required: needed }),
    ...(items !== undefined && { items: withoutLoose(record(items)) }),
    ...(more !== undefined && { additionalProperties: more }),
  };
}
