import { expect, test } from "@jest/globals";
import { patternOf } from "../../iam/pattern.ts";

test.each([
  ["TENANT#*", "TENANT#1", true],
  ["TENANT#*", "TENANT#", true],
  ["TENANT#*", "XTENANT#1", false],
  ["TENANT#*", "tenant#1", false],
  ["TENANT#*", "TENANT#1\n2", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["a.c", "abc", false],
  ["(a|b)", "a", false],
])("the pattern %s matches %s: %s", (pattern, text, matches) => {
  expect(patternOf(pattern).test(text)).toBe(matches);
});

test("letter case does not count in a pattern that ignores it", () => {
  expect(patternOf("s3:Get*", { ignoreCase: true }).test("S3:getObject")).toBe(true);
});
