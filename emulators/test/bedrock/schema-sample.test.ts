import { describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { sample } from "../../bedrock/schema-sample.ts";

const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required });
const list = (items: object, rest: object = {}) => ({ type: "array", items, ...rest });

/** What an independent validator objects to. */
function problems(schema: object, value: unknown) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  return ajv.validate(schema, value) ? [] : ajv.errors;
}

describe("a sample fits its schema", () => {
  test.each<[string, object]>([
    [
      "members of every type",
      object({
        a: { type: "string" },
        b: { type: "integer" },
        c: { type: "number" },
        d: { type: "boolean" },
        e: { type: "null" },
      }),
    ],
    ["enum and const", object({ a: { enum: ["metric", "imperial"] }, b: { const: 7 } })],
    ["lengths", object({ a: { type: "string", minLength: 300 }, b: { type: "string", maxLength: 1 } })],
    [
      "bounds",
      object({
        a: { type: "integer", minimum: 5 },
        b: { type: "integer", maximum: -5 },
        c: { type: "number", minimum: 0.2, maximum: 0.4 },
        d: { type: "integer", minimum: 5000 },
        e: { type: "number", maximum: -5000.5 },
      }),
    ],
    [
      "excluded bounds",
      object({
        a: { type: "integer", exclusiveMinimum: 5 },
        b: { type: "integer", exclusiveMaximum: -5 },
        c: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
        d: { type: "integer", exclusiveMinimum: 5000 },
        e: { type: "integer", exclusiveMaximum: -5000 },
      }),
    ],
    ["multiples", object({ a: { type: "integer", multipleOf: 7, minimum: 15 } })],
    [
      "lists",
      object({
        a: list({ type: "string" }, { minItems: 3 }),
        b: list(object({ x: { type: "integer" } })),
        c: list({ type: "string" }, { minItems: 3, uniqueItems: true }),
        d: { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], minItems: 2 },
      }),
    ],
    [
      "formats",
      object({
        a: { type: "string", format: "email" },
        b: { type: "string", format: "uuid" },
        c: { type: "string", format: "date-time" },
        d: { type: "string", format: "uri" },
        e: { type: "string", format: "ipv6" },
      }),
    ],
    [
      "a choice",
      object({
        a: { anyOf: [{ type: "integer" }, { type: "string" }] },
        b: { oneOf: [{ type: "null" }, { type: "string" }] },
      }),
    ],
    ["several types", object({ a: { type: ["null", "string"] } })],
    [
      "a choice by a member",
      object({ shape: { oneOf: [object({ kind: { const: "a" } }), object({ n: { const: 1 } })] } }),
    ],
    ["a pattern", object({ id: { type: "string", pattern: "^[a-z]{3}-[0-9]+$" } })],
    ["free members", object({ env: { type: "object", additionalProperties: { type: "string" }, minProperties: 2 } })],
    [
      "definitions of an old draft",
      { ...object({ at: { $ref: "#/definitions/a" } }), definitions: { a: { type: "null" } } },
    ],
    ["a list of itself", object({ value: { type: "integer" }, children: list({ $ref: "#" }) })],
    ["itself or null", object({ value: { type: "string" }, next: { anyOf: [{ $ref: "#" }, { type: "null" }] } })],
    ["itself, twice, if you like", object({ left: { $ref: "#" }, right: { $ref: "#" } }, [])],
    ["much within much", Array.from({ length: 8 }).reduce<object>((inner) => object({ inner }), { type: "string" })],
    ["nothing", { type: "object" }],
  ])("%s", (_, schema) => {
    expect(problems(schema, sample(schema, "What is up?"))).toEqual([]);
  });
});

test("the same schema and question always give the same sample", () => {
  const schema = object({
    at: { type: "string", format: "date-time" },
    of: { enum: ["a", "b", "c"] },
    n: { type: "number" },
  });
  const first = sample(schema, "");
  sample(object({ x: list({ type: "integer" }, { minItems: 9 }) }), "");
  expect(sample(structuredClone(schema), "")).toEqual(first);
});

test("a sample of a schema has only the required members, or all members if none is required", () => {
  const properties = { city: { type: "string" }, unit: { type: "string" } };
  expect(sample(object(properties, ["city"]), "")).toEqual({ city: "city" });
  expect(sample(object(properties, []), "")).toEqual({ city: "city", unit: "unit" });
});

test("a sample of a schema follows references and allOf", () => {
  const schema = {
    ...object({
      at: { $ref: "#/$defs/place" },
      both: { allOf: [object({ a: { type: "integer" } }), object({ b: { type: "null" } })] },
    }),
    $defs: { place: object({ name: { type: "string" } }) },
  };
  expect(sample(schema, "")).toEqual({ at: { name: "name" }, both: { a: expect.any(Number), b: null } });
});

test("a sample of a schema that refers to itself is finite", () => {
  const node = { ...object({ value: { type: "integer" }, children: { type: "array", items: { $ref: "#" } } }) };
  expect(JSON.stringify(sample(node, "")).length).toBeLessThan(1000);
  expect(() => sample(object({ self: { $ref: "#" } }), "")).not.toThrow();
  expect(() => sample({ $ref: "#" }, "")).not.toThrow();
});

test("a sample of a schema takes defaults and examples, and quotes the question as free text", () => {
  const schema = object({
    query: { type: "string" },
    a: { type: "integer", default: 9 },
    b: { type: "string", examples: ["x"] },
  });
  expect(sample(schema, "What is up?")).toEqual({ query: "What is up?", a: 9, b: "x" });
});

const endless = { $ref: "#" };

test.each<[string, object]>([
  ["long lists", { type: "array", minItems: 1e9, items: {} }],
  ["long strings", { type: "string", minLength: 1e9 }],
  ["repeated repetitions", { type: "string", pattern: "((a{1000}){1000}){1000}" }],
  [
    "a pattern that backtracks",
    { type: "object", required: [`${"a".repeat(40)}!`], patternProperties: { "^(a+)+$": {} } },
  ],
  ["all of itself", { allOf: [endless, endless] }],
  ["itself in many members", object(Object.fromEntries([..."abcdefgh"].map((name) => [name, endless])))],
  ["other documents", { $ref: "https://example.com/schema" }],
  ["a type that does not exist", { type: "any" }],
])("a schema of %s gives an empty object, and soon", (_, schema) => {
  const start = performance.now();
  expect(sample(schema, "")).toEqual({});
  expect(performance.now() - start).toBeLessThan(5000);
});

test("a sample of a schema is always valid JSON", () => {
  const keywords = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "anyOf",
    "allOf",
    "not",
    "minLength",
    "maximum",
    "$ref",
  ];
  const { tree: schemas } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue(),
      fc.constantFrom("object", "array", "#"),
      tie("schema"),
      fc.array(tie("tree")),
    ),
    schema: fc.dictionary(fc.constantFrom(...keywords), tie("tree")),
  }));
  const isJson = (schema: unknown) => typeof JSON.stringify(sample(schema, "")) === "string";
  fc.assert(fc.property(schemas, isJson), { numRuns: 300 });
});
