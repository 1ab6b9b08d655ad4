// Schemas in the plain form that a tool's input has.
import { expect, test } from "@jest/globals";
import type { PlainSchema } from "../../../domain/openapi/plain-schema.ts";
import { plainSchema } from "../../../domain/openapi/schema.ts";

type Options = { schemas?: object; deepest?: number; inText?: boolean; places?: number };

/** The plain schema, and the losses as `code at`. */
function plain(schema: unknown, { schemas = {}, deepest = 7, inText = false, places = 1_000 }: Options = {}) {
  const losses: string[] = [];
  const rewriting = {
    ...{ document: { components: { schemas } }, deepest, inText, left: { places } },
    lose: (code: string, at: string) => void losses.push(`${code} ${at}`),
  };
  return { schema: plainSchema(rewriting, schema, "body"), losses };
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const string = { type: "string" };
const integer = { type: "integer" };

/** Each is exact: neither more nor less is allowed than by the document. */
test.each<[string, unknown, PlainSchema, Options?]>([
  ["a union with null is nullable", { anyOf: [string, { type: "null" }] }, { type: "string", nullable: true }],
  ["a list of types with null is nullable", { type: ["string", "null"] }, { type: "string", nullable: true }],
  ["a union of one alternative is the alternative", { oneOf: [string] }, string],
  ["equal alternatives are one", { anyOf: [string, string] }, string],
  ["a union of an integer and a number is a number", { anyOf: [integer, { type: "number" }] }, { type: "number" }],
  [
    "a union of listed values of a type is one list",
    {
      oneOf: [
        { type: "string", enum: ["a", "b"] },
        { type: "string", const: "c" },
      ],
    },
    { type: "string", enum: ["a", "b", "c"] },
  ],
  [
    "the parts of allOf are one schema",
    { allOf: [ref("Named"), { properties: { age: integer }, required: ["age"] }], description: "A pet" },
    {
      type: "object",
      description: "A pet",
      properties: { name: string, age: integer },
      required: ["name", "age"],
    },
    { schemas: { Named: { type: "object", properties: { name: string }, required: ["name"] } } },
  ],
  [
    "the stricter of two bounds in allOf counts",
    {
      allOf: [
        { ...integer, minimum: 1, maximum: 9 },
        { minimum: 3, maximum: 20 },
      ],
    },
    { type: "integer", minimum: 3, maximum: 9 },
  ],
  [
    "a member that only answers have is left out",
    { properties: { id: { ...string, readOnly: true }, name: string }, required: ["id"] },
    { type: "object", properties: { name: string } },
  ],
  [
    "an exclusive bound of 3.1 is written as in 3.0",
    { type: "number", exclusiveMinimum: 0 },
    { type: "number", minimum: 0, exclusiveMinimum: true },
  ],
  ["null among the values is nullable", { enum: ["a", null] }, { type: "string", enum: ["a"], nullable: true }],
  [
    "members beside a reference count",
    { ...ref("Name"), description: "Full name" },
    { type: "string", description: "Full name" },
    { schemas: { Name: string } },
  ],
  ["a scalar union that travels as text is text", { anyOf: [integer, string] }, string, { inText: true }],
  ["a required member that nothing describes is not required", { type: "object", required: ["x"] }, { type: "object" }],
])("a plain schema: %s", (_, schema, expected, options = {}) => {
  expect(plain(schema, options)).toEqual({ schema: expected, losses: [] });
});

test.each<[string, unknown, PlainSchema, string[], Options?]>([
  [
    "a union of objects has the members of all, and requires what each requires",
    { oneOf: [ref("Cat"), ref("Dog")] },
    {
      type: "object",
      description: "One of: Cat (name, lives); Dog (name)",
      properties: { name: string, lives: integer, tricks: string },
      required: ["name"],
    },
    ["union_widened body"],
    {
      schemas: {
        Cat: { type: "object", properties: { name: string, lives: integer }, required: ["name", "lives"] },
        Dog: { type: "object", properties: { name: string, tricks: string }, required: ["name"] },
      },
    },
  ],
  [
    "alternatives that only say what is required are a sentence",
    { type: "object", properties: { a: string, b: string }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    { type: "object", description: "One of: form 1 (a); form 2 (b)", properties: { a: string, b: string } },
    ["union_widened body"],
  ],
  [
    "texts of several forms are any text",
    {
      anyOf: [
        { ...string, format: "date" },
        { ...string, format: "uuid" },
      ],
    },
    string,
    ["union_widened body"],
  ],
  [
    "a value or a list of such values is a list",
    { oneOf: [string, { type: "array", items: string }] },
    { type: "array", items: string },
    ["union_narrowed body"],
  ],
  ["a text or a number in JSON is a text", { type: ["integer", "string"] }, string, ["union_narrowed body"]],
  [
    "an object or a text is the first of the two",
    { oneOf: [{ type: "object", properties: { a: string } }, string] },
    { type: "object", properties: { a: string } },
    ["union_narrowed body"],
  ],
  ["a condition is left out", { ...string, not: { enum: ["x"] } }, string, ["condition_left_out body"]],
  ["a contradiction in allOf keeps the first", { allOf: [string, integer] }, string, ["conflict body"]],
  [
    "a schema that contains itself is open where it does",
    ref("Node"),
    { type: "object", properties: { next: { type: "object", description: expect.stringContaining("More members") } } },
    ["nesting_cut body.next"],
    { schemas: { Node: { type: "object", properties: { next: ref("Node") } } } },
  ],
  [
    "nesting is cut where it is too deep",
    { properties: { a: { properties: { b: string } } } },
    {
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "object", description: expect.any(String) } } } },
    },
    ["nesting_cut body.a.b"],
    { deepest: 1 },
  ],
])("a plain schema with a loss: %s", (_, schema, expected, losses, options = {}) => {
  expect(plain(schema, options)).toEqual({ schema: expected, losses });
});

test("a plain schema keeps neither oneOf, anyOf, allOf, not nor references, whatever is nested in it", () => {
  const deep = { allOf: [{ oneOf: [{ anyOf: [ref("A"), { not: string }] }, { items: { allOf: [ref("A")] } }] }] };
  const given = { properties: { p: deep, q: { additionalProperties: deep } }, additionalProperties: { oneOf: [deep] } };
  const { schema } = plain(given, { schemas: { A: { properties: { x: deep } } } });
  expect(JSON.stringify(schema)).not.toMatch(/"(oneOf|anyOf|allOf|not|\$ref)"/);
});

test.each([
  ["a reference to another document", { $ref: "https://evil.example.com/a.json" }, "external_reference"],
  ["a reference to a file", { properties: { a: { $ref: "other.yaml#/a" } } }, "external_reference"],
  ["a reference to nothing", { items: ref("None"), type: "array" }, "dangling_reference"],
  ["a reference to a prototype", { $ref: "#/__proto__" }, "dangling_reference"],
])("a schema is not written: %s", (_, schema, code) => {
  expect(() => plain(schema)).toThrow(expect.objectContaining({ code }));
});

test("a schema whose references double at each level ends at the bound of places", () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `L${level}`,
      { type: "object", properties: { a: ref(`L${level + 1}`), b: ref(`L${level + 1}`) } },
    ]),
  );
  expect(() => plain(ref("L0"), { schemas, deepest: 20 })).toThrow(expect.objectContaining({ code: "too_large" }));
});

test("a member that is named __proto__ is a member", () => {
  const { schema } = plain(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'));
  expect(JSON.stringify(schema)).toBe('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
});
