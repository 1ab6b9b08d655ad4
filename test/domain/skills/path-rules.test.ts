import { expect, test } from "@jest/globals";
import { pathProblems } from "../../../domain/skills/path-rules.ts";

const reasons = (...paths: string[]) => pathProblems(paths.map((path) => ({ path }))).map(({ message }) => message);

test.each(["SKILL.md", "scripts/report.py", "assets/two words/ä.png", "a-b_c (1).md", "日本語.md"])(
  "the path %s of a skill is accepted",
  (path) => {
    expect(reasons(path)).toEqual([]);
  },
);

test.each([
  ["", "is empty"],
  ["/etc/passwd", "must be relative to the skill's folder"],
  ["C:/a", "must be relative to the skill's folder"],
  ["c:a", "must be relative to the skill's folder"],
  ["a\\b", "must have slashes, not backslashes"],
  ["../a", "must not have empty steps, . or .."],
  ["a/../../b", "must not have empty steps, . or .."],
  ["a//b", "must not have empty steps, . or .."],
  ["a/", "must not have empty steps, . or .."],
  ["a\nb", "has a control character or one that nobody sees"],
  ["a\0b", "has a control character or one that nobody sees"],
  ["a\u202eb", "has a control character or one that nobody sees"],
  ["a\ud800", "has a control character or one that nobody sees"],
  [".env", "hidden files and node_modules do not belong to a skill"],
  ["a/.git/config", "hidden files and node_modules do not belong to a skill"],
  ["node_modules/a.js", "hidden files and node_modules do not belong to a skill"],
  ["a/NUL.txt", "cannot be written on Windows"],
  ["a./b", "cannot be written on Windows"],
  ["a%2fb", 'must not have any of < > : " | ? * %'],
  ["a?b", 'must not have any of < > : " | ? * %'],
  ["x".repeat(201), "must have at most 200 characters"],
])("the path %j of a skill is refused", (path, reason) => {
  expect(reasons(path)).toEqual([reason]);
});

test.each([
  ["a.md", "A.md", "is the same file as a.md"],
  ["ä.md", "a\u0308.md", "is the same file as ä.md"],
  ["a.md", "a.md", "is the same file as a.md"],
  ["straße.md", "STRASSE.md", "is the same file as straße.md"],
  ["dir", "DIR/a.md", "is the folder of DIR/a.md"],
])("the paths %s and %s cannot both be in a skill", (one, other, reason) => {
  expect(reasons(one, other)).toEqual([reason]);
});
