import { expect, test } from "@jest/globals";
import { parseExactly } from "../../bedrock/json-body.ts";

test.each(["12345678901234567890", '{"a":[1.0,{"b":1e400}]}', "-0", '{"a":1.50}', '{"a":"1.0"}', "[true,null]"])(
  "the numbers of %s leave as they came",
  (text) => {
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  },
);

test("numbers that JavaScript writes alike are plain numbers", () => {
  expect(parseExactly('{"a":1.5}')).toEqual({ a: 1.5 });
});

test("a text that is no JSON is its own value", () => {
  expect(parseExactly("{")).toBe("{");
});
