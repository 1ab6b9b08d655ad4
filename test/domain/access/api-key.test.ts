import { expect, test } from "@jest/globals";
import { isActive } from "../../../domain/access/api-key.ts";
import { aKey } from "../../support/people/api-keys.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const later = (milliseconds: number) => new Date(now + milliseconds).toISOString();

test("a key is active until it expires or is revoked", () => {
  expect(isActive(aKey("k"), now)).toBe(true);
  expect(isActive(aKey("k", { expires_at: later(1) }), now)).toBe(true);
  expect(isActive(aKey("k", { expires_at: later(0) }), now)).toBe(false);
  expect(isActive(aKey("k", { status: "revoked" }), now)).toBe(false);
});
