import { expect, test } from "@jest/globals";
import { hiddenCharacters, shown } from "../../../domain/skills/hidden-text.ts";

test.each([
  ["plain text", "Do it.\r\n\tThen stop."],
  ["letters with marks", "Müller, Đặng, ไทย, 한국어"],
  ["emoji of several parts", "👩‍👩‍👧 ⚠️ 1️⃣ 👍🏽 ❤️‍🔥"],
  ["a script that joins letters", "می‌خواهم क्‍ष"],
])("%s does not count as hidden text", (_, text) => {
  expect(hiddenCharacters(text)).toEqual([]);
});

test.each([
  ["a zero-width space", "a\u200bb", "U+200B"],
  ["a joiner between Latin letters", "a\u200db", "U+200D"],
  ["a right-to-left override", "a\u202eb", "U+202E"],
  ["an isolate", "a\u2066b", "U+2066"],
  ["a byte order mark", "\ufeffa", "U+FEFF"],
  ["tags that spell a sentence", "a\u{e0041}\u{e0042}", "U+E0041"],
  ["variation selectors that carry bytes", "a\u{e0101}", "U+E0101"],
  ["a soft hyphen", "a\u00adb", "U+00AD"],
  ["a filler", "a\u3164b", "U+3164"],
  ["an escape", "a\u001b[2Jb", "U+001B"],
  ["a line separator", "a\u2028b", "U+2028"],
])("hidden text is found with its line and name: %s", (_, text, name) => {
  expect(hiddenCharacters(`first\n${text}`)).toEqual([{ line: 2, name }]);
});

test("text that is quoted in a message shows each hidden character by its name, and is short", () => {
  expect(shown("a\u202eb\nc\ud800")).toBe("aU+202EbU+000Ac?");
  expect(shown("x".repeat(300))).toBe(`${"x".repeat(200)}...`);
});
