import { expect, test } from "@jest/globals";
import { hasAccountPlace, hasKeyPlace, maxActiveKeys } from "../../../domain/keys/key-place.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const keys = (count: number, end?: string) => Array.from({ length: count }, () => end);

test("a caller has places for 50 active keys, and expired keys take none", () => {
  expect(hasKeyPlace(keys(maxActiveKeys - 1), now)).toBe(true);
  expect(hasKeyPlace(keys(maxActiveKeys), now)).toBe(false);
  expect(hasKeyPlace(keys(maxActiveKeys, "2026-11-21T05:00:00.000Z"), now)).toBe(true);
  expect(hasKeyPlace(keys(maxActiveKeys, "2026-11-21T05:00:00.001Z"), now)).toBe(false);
});

test("a workspace has places for as many service accounts as the stack allows", () => {
  expect([hasAccountPlace(99, 100), hasAccountPlace(100, 100)]).toEqual([true, false]);
});
