import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { masked } from "../../../domain/runs/masking.ts";

const text = (value: string, secrets: string[], isCut = false) => masked(Buffer.from(value), secrets, isCut).toString();

test("each occurrence of a secret value is masked, the longer value first", () => {
  expect(text("key=abcdef, again abcdef, and abcd", ["abcd", "abcdef"])).toBe(
    "key=[secret], again [secret], and [secret]",
  );
});

test("secret values shorter than four bytes are not masked", () => {
  expect(text("a b abc", ["a", "abc", ""])).toBe("a b abc");
});

test("a secret value is masked in the form that JSON writes, and so is each long line of a value with several lines", () => {
  expect(text(JSON.stringify({ key: 'a "quoted" \\ value' }), ['a "quoted" \\ value'])).toBe('{"key":"[secret]"}');
  const key = "-----BEGIN KEY-----\n  abcdefgh12345678\r\n}\n-----END KEY-----";
  expect(text("1: abcdefgh12345678 }", [key])).toBe("1: [secret] }");
  expect(text(JSON.stringify(key), [key])).toBe('"[secret]"');
});

test("secret values are masked in bytes that are not text, and the other bytes are unchanged", () => {
  const bytes = Buffer.concat([Buffer.from([0, 255]), Buffer.from("s3cret"), Buffer.from([254])]);
  expect(masked(bytes, ["s3cret"])).toEqual(
    Buffer.concat([Buffer.from([0, 255]), Buffer.from("[secret]"), Buffer.from([254])]),
  );
});

test("the beginning of a secret value is removed where the output is cut, and kept where it is not", () => {
  expect(text("it is abcde", ["abcdef"], true)).toBe("it is ");
  expect(text("it is abcde", ["abcdef"])).toBe("it is abcde");
});

test("no part of a masked value remains, wherever the output is cut", () => {
  // Other letters than those of the mask and of what is around, so that nothing else looks like a part of the value.
  const value = fc.string({ unit: fc.constantFrom("x", "y", "z"), minLength: 4, maxLength: 8 });
  const around = fc.string({ unit: fc.constantFrom("a", "b", "ä", " ") });
  fc.assert(
    fc.property(value, around, around, fc.nat(8), (secret, before, after, cut) => {
      const whole = `${before}${secret}${after}${secret}`;
      expect(text(whole.slice(0, whole.length - cut), [secret], true)).not.toMatch(/[xyz]/);
    }),
  );
});
