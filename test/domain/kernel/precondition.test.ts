import { expect, test } from "@jest/globals";
import { requireVersion } from "../../../domain/kernel/precondition.ts";

test("a change that names no version is made on any", () => {
  expect(() => requireVersion(undefined, "3")).not.toThrow();
});

test("a change that names versions is made on one of them alone", () => {
  expect(() => requireVersion(["2", "3"], "3")).not.toThrow();
  for (const ifMatch of [["2"], []]) {
    expect(() => requireVersion(ifMatch, "3")).toThrow(expect.objectContaining({ code: "precondition_failed" }));
  }
});
