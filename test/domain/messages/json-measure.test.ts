import { describe, expect, test } from "@jest/globals";
import { measureJson } from "../../../domain/messages/json-measure.ts";

test("values, fields and levels of a JSON text are counted, and nothing inside strings", () => {
  expect(measureJson('{"a":[1,{"b":"x,[{"}],"c\\\\":"\\"],","d":true}')).toEqual({
    values: 6,
    fields: 3,
    depth: 3,
    hasDelicateNumbers: false,
  });
});

describe("a delicate number", () => {
  test.each(["1.0", "1e3", "1E-7", "-0", "1234567890123456"])(
    "a number in a JSON text that rounding would change is found: %s",
    (number) => {
      expect(measureJson(`[true,${number}]`).hasDelicateNumbers).toBe(true);
    },
  );

  test.each(['"1.0 and 1e3"', "7", "-10", "100", "123456789012345", "true", "[12345678,12345678]"])(
    "no number that rounding would change is found in %s",
    (text) => {
      expect(measureJson(`{"a":${text}}`).hasDelicateNumbers).toBe(false);
    },
  );
});

test("a text that is not JSON is measured, too", () => {
  for (const text of ["", '"', '"\\', "]]]", "{"])
    expect(measureJson(text)).toMatchObject({ hasDelicateNumbers: false });
});
