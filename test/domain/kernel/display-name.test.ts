import { expect, test } from "@jest/globals";
import { displayName } from "../../../domain/kernel/display-name.ts";

test.each(["Acme & Söhne", "東京", "R&D (EU)", 'O\'Neil "the" 2nd', "👩‍💻 team", "نمی‌خواهم"])(
  "%p is accepted as a display name",
  (name) => {
    expect(displayName.parse(`  ${name} `)).toBe(name);
  },
);

const invisible = /must not have control or invisible characters/;

test.each([
  ["a\u0000b", invisible],
  ["a\nb", invisible],
  ["a\u001b[31mb", invisible],
  ["a\u007f\u0085b", invisible],
  ["a\u2028b", invisible],
  ["moc\u202eelgoog", invisible],
  ["zero\u200bwidth", invisible],
  ["half\ud83d", invisible],
  ["\udc00half", invisible],
  ["<b>Acme</b>", /must not have < or >/],
  ["a > b", /must not have < or >/],
])("%j is refused as a display name", (name, problem) => {
  expect(displayName.safeParse(name).error?.message).toMatch(problem);
});
