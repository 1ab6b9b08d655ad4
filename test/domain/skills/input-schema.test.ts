import { expect, test } from "@jest/globals";
import { readInputSchema } from "../../../domain/skills/input-schema.ts";
import { folder } from "../../support/skills/skill-files.ts";

const read = (schema: unknown) => {
  const text = typeof schema === "string" ? schema : JSON.stringify(schema);
  const [file] = folder({ "input.json": text });
  if (!file) throw new Error("no file");
  return readInputSchema(file);
};
const reason = (schema: unknown) => read(schema).problems[0]?.message;

test("an input schema may be an object with references to its own definitions", () => {
  const schema = {
    type: "object",
    properties: { week: { $ref: "#/$defs/week" }, $ref: { type: "string" }, $id: { type: "string" } },
    $defs: { week: { type: "integer" } },
  };
  expect(read(schema)).toEqual({ schema, problems: [] });
});

const eightTimes = (name: string) => ({ anyOf: Array(8).fill({ $ref: `#/$defs/${name}` }) });
const bomb = Object.fromEntries([...Array(6).keys()].map((place) => [`d${place}`, eightTimes(`d${place + 1}`)]));

test.each([
  ["no JSON", "{", "must be a JSON Schema in JSON"],
  ["another type", { type: "string" }, 'must be a JSON Schema of type "object"'],
  ["a list", [], 'must be a JSON Schema of type "object"'],
  [
    "a remote reference",
    { type: "object", properties: { a: { $ref: "https://x.example/a" } } },
    "must refer to its own #/$defs alone",
  ],
  ["a file", { type: "object", properties: { a: { $ref: "other.json#/a" } } }, "must refer to its own #/$defs alone"],
  ["itself", { type: "object", properties: { a: { $ref: "#" } } }, "must refer to its own #/$defs alone"],
  [
    "a circle",
    { type: "object", $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { $ref: "#/$defs/a" } } },
    "must not refer to itself",
  ],
  [
    "nothing there",
    { type: "object", properties: { a: { $ref: "#/$defs/a" } } },
    "refers to #/$defs/a, which is not there",
  ],
  ["another base", { type: "object", $id: "https://x.example" }, "must not have $id"],
  ["a dynamic reference", { type: "object", items: { $dynamicRef: "#a" } }, "must not have $dynamicRef"],
  ["a bomb", { type: "object", $defs: { ...bomb, d6: {} } }, "must have at most 5000 parts"],
  ["more than 32 KB", { type: "object", description: "x".repeat(33_000) }, "is a schema of"],
  ["a prototype", '{"type":"object","properties":{"a":{"$ref":"#/$defs/constructor"}}}', "which is not there"],
])("an input schema with %s is refused", (_, schema, wanted) => {
  expect(reason(schema)).toContain(wanted);
});

test("a deeply nested input schema is refused, and causes no error", () => {
  let schema: object = {};
  for (let level = 0; level < 100; level++) schema = { items: schema };
  expect(reason({ type: "object", ...schema })).toContain("must have at most 32 levels");
  expect(reason(`${'{"type":"object","a":'.repeat(1)}${"[".repeat(15_000)}${"]".repeat(15_000)}}`)).toBeDefined();
});
