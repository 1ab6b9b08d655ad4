import { expect, test } from "@jest/globals";
import { z } from "zod";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { fields, parseRequest } from "../../../domain/kernel/validation.ts";

const schema = fields({
  name: z.string(),
  count: z.int().min(1).optional(),
  inner: fields({ mode: z.enum(["a", "b"]) }).optional(),
});

function messageOf(value: unknown): string {
  try {
    parseRequest(schema, value, "body");
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ code: "invalid_request" });
    return (error as Refusal).message;
  }
  throw new Error("was not refused");
}

test("validation returns the schema's output", () => {
  expect(parseRequest(schema, { name: "x", inner: { mode: "a" } }, "body")).toEqual({
    name: "x",
    inner: { mode: "a" },
  });
});

test("validation names an unknown field by its path, and the known fields of the same object", () => {
  expect(messageOf({ name: "x", nmae: 1 })).toBe("nmae: unknown field, allowed: name, count, inner");
  expect(messageOf({ name: "x", inner: { mode: "a", more: 1 } })).toBe("inner.more: unknown field, allowed: mode");
});

test("validation distinguishes missing from wrong fields", () => {
  expect(messageOf({})).toBe("name: is required");
  expect(messageOf({ name: null })).toBe("name: expected string, received null");
  expect(messageOf({ name: "x", inner: {} })).toBe("inner.mode: is required");
  expect(messageOf({ name: "x", inner: { mode: "c" } })).toBe('inner.mode: expected one of "a"|"b"');
});

test("validation names every problem at once", () => {
  expect(messageOf({ count: 0, extra: true })).toBe(
    "name: is required; count: expected number to be >=1; extra: unknown field, allowed: name, count, inner",
  );
});

test("validation lists each wrong field once for the answer's details", () => {
  const refusalOf = (value: unknown) => {
    try {
      return parseRequest(schema, value, "body");
    } catch (error) {
      return (error as Refusal).fields?.map(({ path }) => path);
    }
  };
  expect(refusalOf({ count: 0.5, inner: { mode: "c", more: 1 } })).toEqual([
    "name",
    "count",
    "inner.mode",
    "inner.more",
  ]);
  expect(refusalOf(null)).toEqual(["body"]);
});

test("validation names a whole object if all of it is wrong", () => {
  expect(messageOf([])).toBe("body: expected object, received array");
  expect(messageOf(undefined)).toBe("body: is required");
});

test("an object without fields allows none", () => {
  expect(() => parseRequest(fields({}), { a: 1 }, "query")).toThrow("a: unknown field, none is allowed here");
});
