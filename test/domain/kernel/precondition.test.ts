import { expect, test } from "@jest/globals";
import { requireVersion } from "../../../domain/kernel/precondition.ts";

test("a change without If-Match is made at any version", () => {
  expect(() => requireVersion(undefined, "3")).not.toThrow();
});

test("a change with If-Match is made only at one of the named versions", () => {
  expect(() => requireVersion(["2", "3"], "3")).not.toThrow();
  for (const ifMatch of [["2"], []]) {
    expect(() => requireVersion(ifMatch, "3")).toThrow(expect.objectContaining({ code: "precondition_failed" }));
  }
});
