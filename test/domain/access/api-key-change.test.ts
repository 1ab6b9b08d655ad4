import { describe, expect, test } from "@jest/globals";
import type * as z from "zod";
import { isActive } from "../../../domain/access/api-key.ts";
import { apiKeyPatch, patched } from "../../../domain/access/key-change.ts";
import { apiKeyRotationBody, rotation } from "../../../domain/access/key-rotation.ts";
import { aKey } from "../../support/people/api-keys.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const later = (milliseconds: number) => new Date(now + milliseconds).toISOString();

const messages = (schema: z.ZodType, body: unknown) =>
  schema.safeParse(body, { reportInput: true }).error?.issues.map(({ message }) => message);

describe("a change", () => {
  test("leaves what it does not name", () => {
    const key = aKey("k", { expires_at: later(1) });
    expect(patched(key, { name: "New" })).toEqual({ ...key, name: "New", version: 2 });
    expect(patched(key, { expires_at: null })).toEqual({ ...aKey("k"), version: 2 });
    expect(patched(aKey("k"), { expires_at: later(2) })).toEqual({ ...aKey("k"), expires_at: later(2), version: 2 });
  });

  test("names something", () => {
    expect(messages(apiKeyPatch, {})).toEqual(["names nothing to change, allowed: name, expires_at, grant"]);
    expect(apiKeyPatch.parse({ expires_at: null })).toEqual({ expires_at: null });
  });
});

describe("a rotation", () => {
  const made = { key_id: "new", hash: "its hash", last4: "wxyz", created_by: "bob" };

  test.each([
    ["a day, unless another overlap is asked for", {}, undefined, later(24 * 3_600_000)],
    ["at once", { overlap_seconds: 0 }, undefined, later(0)],
    ["7 days, the longest", { overlap_seconds: 604_800 }, undefined, later(604_800_000)],
    ["when it would have ended anyway, if that is earlier", {}, later(5_000), later(5_000)],
  ])("leaves the old key good for %s", (_name, body, expires_at, end) => {
    const old = aKey("old", expires_at ? { expires_at } : {});
    expect(rotation(old, made, apiKeyRotationBody.parse(body), now).oldEndsAt).toBe(end);
  });

  test("gives a key of the same caller with the same end, unless another is asked for", () => {
    const old = aKey("old", { expires_at: later(5_000), version: 7, replaced_by: "x" });
    const { successor } = rotation(old, made, { overlap_seconds: 0 }, now);
    expect(successor).toEqual({ ...aKey("old"), ...made, expires_at: later(5_000), created_at: later(0), version: 1 });
    expect(rotation(old, made, { overlap_seconds: 0, expires_at: null }, now).successor).not.toHaveProperty(
      "expires_at",
    );
    const at = later(9_000);
    expect(rotation(old, made, { overlap_seconds: 0, expires_at: at }, now).successor.expires_at).toBe(at);
  });

  test.each([-1, 604_801, 1.5, "1", null])("refuses an overlap of %j seconds", (overlap_seconds) => {
    expect(messages(apiKeyRotationBody, { overlap_seconds })).toHaveLength(1);
  });
});

test("a key is good until its end, exclusively, or its revocation", () => {
  expect(isActive(aKey("k"), now)).toBe(true);
  expect(isActive(aKey("k", { expires_at: later(1) }), now)).toBe(true);
  expect(isActive(aKey("k", { expires_at: later(0) }), now)).toBe(false);
  expect(isActive(aKey("k", { status: "revoked" }), now)).toBe(false);
});
