import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { masked } from "../../../domain/runs/masking.ts";

const text = (value: string, secrets: string[], isCut = false) => masked(Buffer.from(value), secrets, isCut).toString();

test("each place of each value is masked, the longer value first", () => {
  expect(text("key=abcdef, again abcdef, and abcd", ["abcd", "abcdef"])).toBe(
    "key=[secret], again [secret], and [secret]",
  );
});

test("values shorter than four bytes are left", () => {
  expect(text("a b abc", ["a", "abc", ""])).toBe("a b abc");
});

test("a value as JSON writes it is masked, and each longer line of one that has several", () => {
  expect(text(JSON.stringify({ key: 'a "quoted" \\ value' }), ['a "quoted" \\ value'])).toBe('{"key":"[secret]"}');
  const key = "-----BEGIN KEY-----\n  abcdefgh12345678\r\n}\n-----END KEY-----";
  expect(text("1: abcdefgh12345678 }", [key])).toBe("1: [secret] }");
  expect(text(JSON.stringify(key), [key])).toBe('"[secret]"');
});

test("bytes that are no text are masked, and left as they are beside the value", () => {
  const bytes = Buffer.concat([Buffer.from([0, 255]), Buffer.from("s3cret"), Buffer.from([254])]);
  expect(masked(bytes, ["s3cret"])).toEqual(
    Buffer.concat([Buffer.from([0, 255]), Buffer.from("[secret]"), Buffer.from([254])]),
  );
});

test("the beginning of a value at a cut goes; without a cut it stays", () => {
  expect(text("it is abcde", ["abcdef"], true)).toBe("it is ");
  expect(text("it is abcde", ["abcdef"])).toBe("it is abcde");
});

test("no part of a masked value is left, wherever the output is cut", () => {
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
