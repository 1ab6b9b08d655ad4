import { expect, test } from "@jest/globals";
import { idempotencyKeys } from "../../../console/app/idempotency-key.ts";

test("what is sent again as it was has the same key", () => {
  const keyFor = idempotencyKeys();
  expect(keyFor({ name: "CI", days: 30 })).toBe(keyFor({ name: "CI", days: 30 }));
  expect(keyFor()).toBe(keyFor());
});

test("what was changed is another request, and what is changed back is the first one again", () => {
  const keyFor = idempotencyKeys();
  const first = keyFor({ name: "CI" });
  expect(keyFor({ name: "CI 2" })).not.toBe(first);
  expect(keyFor({ name: "CI" })).toBe(first);
});

test("a form that is opened anew creates anew", () => {
  expect(idempotencyKeys()({ name: "CI" })).not.toBe(idempotencyKeys()({ name: "CI" }));
});
