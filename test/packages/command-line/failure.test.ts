import { expect, test } from "@jest/globals";
import { Failure, oneLine } from "../../../packages/command-line/failure.ts";

test("a foreign text is printed on one line of limited length", () => {
  expect(oneLine("a\n\u001b[31mred\u0007\u202e b\r\n")).toBe("a [31mred b");
  expect(oneLine("x".repeat(2_000))).toHaveLength(603);
});

test("a failure of a command determines its exit code", () => {
  const kinds = ["failed", "usage", "signInNeeded", "unreachable"] as const;
  expect(kinds.map((kind) => new Failure(kind, "no").exitCode)).toEqual([1, 2, 3, 4]);
});
