import { describe, expect, test } from "@jest/globals";
import * as z from "zod";
import { sample } from "../../../local/bedrock/schema-sample.ts";

const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required });
const fromJsonSchema = (schema: object) => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

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
      }),
    ],
    [
      "excluded bounds",
      object({
        a: { type: "integer", exclusiveMinimum: 5 },
        b: { type: "integer", exclusiveMaximum: -5 },
        c: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      }),
    ],
    ["multiples", object({ a: { type: "integer", multipleOf: 7, minimum: 15 } })],
    [
      "lists",
      object({
        a: { type: "array", items: { type: "string" }, minItems: 3 },
        b: { type: "array", items: object({ x: { type: "integer" } }) },
      }),
    ],
    [
      "formats",
      object({
        a: { type: "string", format: "email" },
        b: { type: "string", format: "uuid" },
        c: { type: "string", format: "date-time" },
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
    ["nothing", { type: "object" }],
  ])("%s", (_, schema) => {
    expect(fromJsonSchema(schema).safeParse(sample(schema, "seed"))).toMatchObject({ success: true });
  });
});

test("only required members are given, or all if none is", () => {
  const properties = { city: { type: "string" }, unit: { type: "string" } };
  expect(sample(object(properties, ["city"]), "")).toEqual({ city: "city" });
  expect(sample(object(properties, []), "")).toEqual({ city: "city", unit: "unit" });
});

test("references and allOf are followed", () => {
  const schema = {
    ...object({
      at: { $ref: "#/$defs/place" },
      both: { allOf: [object({ a: { type: "integer" } }), object({ b: { type: "null" } })] },
    }),
    $defs: { place: object({ name: { type: "string" } }) },
  };
  expect(sample(schema, "")).toEqual({ at: { name: "name" }, both: { a: 1, b: null } });
});

test("a schema that holds itself comes to an end", () => {
  const node = { ...object({ value: { type: "integer" }, children: { type: "array", items: { $ref: "#" } } }) };
  expect(JSON.stringify(sample(node, "")).length).toBeLessThan(1000);
  expect(() => sample(object({ self: { $ref: "#" } }), "")).not.toThrow();
  expect(() => sample({ $ref: "#" }, "")).not.toThrow();
});

test("free text says what was asked, defaults and examples are taken", () => {
  const schema = object({
    query: { type: "string" },
    a: { type: "integer", default: 9 },
    b: { type: "string", examples: ["x"] },
  });
  expect(sample(schema, "What is up?")).toEqual({ query: "What is up?", a: 9, b: "x" });
});
