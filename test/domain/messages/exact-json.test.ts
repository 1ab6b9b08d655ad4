import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseExactly } from "../../../domain/messages/exact-json.ts";

const roundTrip = (text: string) => JSON.stringify(parseExactly(text));

describe("a number below the top", () => {
  test.each(["12345678901234567890", "1.0", "1e20", "1E-7", "-0", "0.10", "1e400", "-12345678901234567", "7", "-1.5"])(
    "a number inside a JSON text keeps its spelling: %s",
    (number) => {
      expect(roundTrip(`{"a":[{"b":${number}}]}`)).toBe(`{"a":[{"b":${number}}]}`);
    },
  );
});

test("a JSON text that is only a number is read as a number", () => {
  expect(parseExactly('{"max_tokens":50.0,"big":1e3,"list":[1.0]}')).toMatchObject({ max_tokens: 50, big: 1000 });
});

test("digits inside a JSON string stay a string", () => {
  for (const text of ['{"a":{"b":"1.0 and 12345678901234567890"}}', '"1.0"', "[]", "null", "true"]) {
    expect(roundTrip(text)).toBe(text);
  }
});

test("a JSON name like `__proto__` is an ordinary name", () => {
  const parsed = parseExactly('{"__proto__":{"x":1.5},"n":1.0}');
  expect(Object.keys(parsed as object)).toEqual(["__proto__", "n"]);
  expect(({} as { x?: number }).x).toBeUndefined();
});

test("a text that is not JSON is refused by the exact reader", () => {
  for (const text of ["", "{", "1.0.0", '{"a":01.5}']) expect(() => parseExactly(text)).toThrow(SyntaxError);
});

test("exact reading does not change the meaning of any JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(roundTrip(text))).toEqual(JSON.parse(text));
    }),
  );
});
