import { expect, test } from "@jest/globals";
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";

test("a refusal because of one field names it in the message and in the list of fields", () => {
  const refusal = fieldRefusal("slug_taken", "name", "is taken");
  expect([refusal.code, refusal.message, refusal.fields]).toEqual([
    "slug_taken",
    "name: is taken",
    [{ path: "name", message: "is taken" }],
  ]);
});
