// A value that fits a JSON schema, always the same one: the input that a model without a mind gives a tool.
// Not read: `pattern`, `not`, `if`, `patternProperties`, `uniqueItems`.

type Schema = Record<string, unknown>;

/** Deeper lists are empty and optional members left out, so that a schema may hold itself. */
const maximumDepth = 6;
/** A schema that requires itself without end has no value that fits. */
const endlessDepth = 40;

/** @param seed goes into strings that the schema leaves free, e.g. the caller's question. */
export function sample(schema: unknown, seed: string): unknown {
  return sampleOf(schema, { root: schema, seed, depth: 0, name: "value" });
}

type Place = { root: unknown; seed: string; depth: number; name: string };

function sampleOf(given: unknown, place: Place): unknown {
  if (place.depth > endlessDepth) return null;
  const schema = resolved(given, place.root);
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  if (isList(schema.enum)) return schema.enum[0];
  if (isList(schema.examples)) return schema.examples[0];
  const [option] = [schema.anyOf, schema.oneOf].filter(isList).flat();
  if (option !== undefined)
    return sampleOf({ ...omit(schema, "anyOf", "oneOf"), ...resolved(option, place.root) }, place);
  switch (typeOf(schema)) {
    case "object":
      return sampleObject(schema, place);
    case "array":
      return sampleList(schema, place);
    case "integer":
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return sampleString(schema, place);
  }
}

/** Follows `$ref` into the same document and merges `allOf`. */
function resolved(given: unknown, root: unknown, hops = 0): Schema {
  const schema = (typeof given === "object" && given !== null && hops < endlessDepth ? given : {}) as Schema;
  if (typeof schema.$ref === "string" && schema.$ref.startsWith("#")) {
    return { ...resolved(pointed(schema.$ref, root), root, hops + 1), ...omit(schema, "$ref") };
  }
  if (!isList(schema.allOf)) return schema;
  return schema.allOf.map((each) => resolved(each, root, hops + 1)).reduce(merged, omit(schema, "allOf"));
}

/** The part of a document that a JSON pointer such as `#/$defs/place` names. */
function pointed(pointer: string, root: unknown): unknown {
  const keys = pointer.split("/").slice(1);
  return keys.reduce<unknown>(
    (at, key) => (at as Schema | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
}

function merged(one: Schema, other: Schema): Schema {
  const properties = { ...(one.properties as object), ...(other.properties as object) };
  const required = [...names(one.required), ...names(other.required)];
  return { ...one, ...other, properties, ...(required.length > 0 && { required }) };
}

function typeOf(schema: Schema): unknown {
  if (isList(schema.type)) return schema.type.find((type) => type !== "null") ?? "null";
  if (schema.type) return schema.type;
  if (schema.properties) return "object";
  return schema.items ? "array" : undefined;
}

/** Its required members, or all of them if none is required. */
function sampleObject(schema: Schema, place: Place): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, unknown>;
  const optional = place.depth < maximumDepth ? Object.keys(properties) : [];
  const members = names(schema.required).length > 0 ? names(schema.required) : optional;
  return Object.fromEntries(
    members.map((name) => [name, sampleOf(properties[name], { ...place, depth: place.depth + 1, name })]),
  );
}

function sampleList(schema: Schema, place: Place): unknown[] {
  const atLeast = Number(schema.minItems ?? 0);
  const length = place.depth < maximumDepth ? Math.max(atLeast, 1) : atLeast;
  const most = Number(schema.maxItems ?? Number.POSITIVE_INFINITY);
  const deeper = { ...place, depth: place.depth + 1 };
  const fixed = isList(schema.prefixItems) ? schema.prefixItems.map((item) => sampleOf(item, deeper)) : [];
  const rest = Math.max(0, Math.min(length, most) - fixed.length);
  return [...fixed, ...Array.from({ length: rest }, () => sampleOf(schema.items, deeper))];
}

function sampleNumber({ type, multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): number {
  const low = bound(minimum ?? exclusiveMinimum);
  const high = bound(maximum ?? exclusiveMaximum);
  if (type === "number" && multipleOf === undefined && low !== undefined && high !== undefined) return (low + high) / 2;
  const step = bound(multipleOf) ?? 1;
  if (low !== undefined) return firstStep(low, step, exclusiveMinimum !== undefined);
  return high === undefined || high > step ? step : -firstStep(-high, step, exclusiveMaximum !== undefined);
}

const bound = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** The least multiple of `step` that is not under `low`, nor at it if that is excluded. */
function firstStep(low: number, step: number, excluded: boolean): number {
  const multiple = Math.ceil(low / step) * step;
  return excluded && multiple === low ? multiple + step : multiple;
}

const formats: Record<string, string> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function sampleString(schema: Schema, { name, seed }: Place): string {
  const format = formats[String(schema.format)];
  if (format) return format;
  const text = /query|prompt|question|text|message|input/i.test(name) ? seed || name : name;
  const least = Number(schema.minLength ?? 0);
  return text.padEnd(least, ".").slice(0, Number(schema.maxLength ?? Math.max(least, 200)));
}

const isList = (value: unknown): value is [unknown, ...unknown[]] => Array.isArray(value) && value.length > 0;
const names = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function omit(schema: Schema, ...keys: string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}
