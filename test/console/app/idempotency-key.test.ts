import { expect, test } from "@jest/globals";
import { idempotencyKeys } from "../../../console/app/idempotency-key.ts";

test("an unchanged repeated request has the same Idempotency-Key", () => {
  const keyFor = idempotencyKeys();
  expect(keyFor({ name: "CI", days: 30 })).toBe(keyFor({ name: "CI", days: 30 }));
  expect(keyFor()).toBe(keyFor());
});

test("a changed request has another Idempotency-Key, and one that is changed back has the first key again", () => {
  const keyFor = idempotencyKeys();
  const first = keyFor({ name: "CI" });
  expect(keyFor({ name: "CI 2" })).not.toBe(first);
  expect(keyFor({ name: "CI" })).toBe(first);
});

test("a form that is opened a second time has a new Idempotency-Key", () => {
  expect(idempotencyKeys()({ name: "CI" })).not.toBe(idempotencyKeys()({ name: "CI" }));
});
