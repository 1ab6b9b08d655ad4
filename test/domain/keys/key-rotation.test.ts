import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Actor } from "../../../domain/access/access-rule.ts";
import { KeyUsed } from "../../../domain/kernel/idempotency.ts";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { apiKeyBody, createKey } from "../../../domain/keys/key-creation.ts";
import { apiKeyRotationBody, rotateKey, rotation } from "../../../domain/keys/key-rotation.ts";
import { aKey } from "../../support/people/api-keys.ts";
import { keyDependencies, limits, serviceAccount } from "../../support/people/key-dependencies.ts";
import { ann, dan, memoryStores } from "../../support/people/memory-stores.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const later = (milliseconds: number) => new Date(now + milliseconds).toISOString();

describe("a rotation", () => {
  const made = { key_id: "new", hash: "its hash", last4: "wxyz", created_by: "bob" };

  test.each([
    ["a day, unless another overlap is asked for", {}, undefined, later(24 * 3_600_000)],
    ["at once", { overlap_seconds: 0 }, undefined, later(0)],
    ["7 days, the longest", { overlap_seconds: 604_800 }, undefined, later(604_800_000)],
    ["when it would have ended anyway, if that is earlier", {}, later(5_000), later(5_000)],
  ])("rotating a key leaves the old key valid for %s", (_name, body, expires_at, end) => {
    const old = aKey("old", expires_at ? { expires_at } : {});
    expect(rotation(old, made, apiKeyRotationBody.parse(body), now).oldEndsAt).toBe(end);
  });

  test("rotating a key gives a key of the same caller with the same expiry, unless another is requested", () => {
    const old = aKey("old", { expires_at: later(5_000), version: 7 });
    const { successor } = rotation(old, made, { overlap_seconds: 0 }, now);
    expect(successor).toEqual({ ...aKey("old"), ...made, expires_at: later(5_000), created_at: later(0), version: 1 });
    expect(rotation(old, made, { overlap_seconds: 0, expires_at: null }, now).successor).not.toHaveProperty(
      "expires_at",
    );
    const at = later(9_000);
    expect(rotation(old, made, { overlap_seconds: 0, expires_at: at }, now).successor.expires_at).toBe(at);
  });
});

describe("rotating a key", () => {
  let stores: Awaited<ReturnType<typeof memoryStores>>;
  let deps: ReturnType<typeof keyDependencies>;
  beforeEach(async () => {
    stores = await memoryStores();
    deps = keyDependencies(stores);
  });

  async function create(actor: Actor, body: object) {
    const { newId, create } = await createKey(deps, actor, apiKeyBody.parse(body));
    return create(newId);
  }
  const begin = async (actor: Actor, keyId: string, body: object = {}, expected?: string[]) =>
    rotateKey(deps, actor, keyId, parseRequest(apiKeyRotationBody, body, "body"), expected);
  async function rotate(...asked: Parameters<typeof begin>) {
    const { newId, create } = await begin(...asked);
    return create(newId);
  }

  test("rotating a key is possible once: a replaced key names its successor, which must be rotated instead", async () => {
    const old = await create(ann, serviceAccount);
    const successor = await rotate(ann, old.key_id);
    await expect(rotate(ann, old.key_id)).rejects.toMatchObject({
      code: "key_replaced",
      message: `key_id: the key ${old.key_id} was replaced by ${successor.key_id} already; rotate that one`,
    });
    expect((await rotate(ann, successor.key_id)).key_id).not.toBe(successor.key_id);
  });

  test("rotating a key shows the new key, stores both, and writes one audit entry", async () => {
    const { key: _text, ...old } = await create(ann, { ...serviceAccount, mode: "test" });
    const { key, replaces, ...successor } = await rotate(ann, old.key_id, { overlap_seconds: 60 });
    expect(key).toMatch(/^ar_test_/);
    expect(successor).toEqual({ ...old, key_id: successor.key_id, hash: `hash of ${key}`, last4: key.slice(-4) });
    expect(replaces).toEqual({ key_id: old.key_id, expires_at: later(60_000) });
    expect(await stores.apiKeys.get(successor.key_id)).toEqual(successor);
    expect(await stores.apiKeys.get(old.key_id)).toMatchObject({
      expires_at: later(60_000),
      replaced_by: successor.key_id,
    });
    const entries = (await stores.trail()).filter(({ action }) => action === "key.rotate");
    expect(entries).toMatchObject([{ target: old.key_id, after: { replaced_by: successor.key_id } }]);
  });

  test("rotating a key is allowed for the caller's own keys and, for the owner, keys of service accounts", async () => {
    await deps.giveGrant("dan");
    const own = await create(dan, { name: "Laptop" });
    const ci = await create(ann, serviceAccount);
    await expect(begin(ann, own.key_id)).rejects.toMatchObject({ code: "role_missing" });
    await expect(begin(dan, ci.key_id)).rejects.toMatchObject({ code: "not_found" });
    await expect(begin({ ...ann, tenantId: "t2" }, ci.key_id)).rejects.toMatchObject({ code: "not_found" });
    const { key_id } = await rotate(dan, own.key_id);
    await deps.takeGrant("dan");
    await expect(begin(dan, key_id)).rejects.toMatchObject({ code: "grant_missing" });
  });

  test("rotating a key can name the old key's version, and happens once", async () => {
    const { key_id } = await create(ann, serviceAccount);
    await expect(rotate(ann, key_id, {}, ["7"])).rejects.toMatchObject({ code: "precondition_failed" });
    const { newId, create: repeatable } = await begin(ann, key_id, { overlap_seconds: 0 }, ["1"]);
    await repeatable(newId);
    // A repeat is told of its own key, although the old one has changed by it.
    await expect(repeatable(newId)).rejects.toThrow(KeyUsed);
    await expect(rotate(ann, key_id)).rejects.toThrow(`it was replaced by ${newId}`);
  });

  test.each([
    [{ overlap_seconds: -1 }, "overlap_seconds: must be 0 to 604800, which is 7 days"],
    [{ overlap_seconds: 604_801 }, "overlap_seconds: must be 0 to 604800, which is 7 days"],
    [{ overlap_seconds: 1.5 }, "overlap_seconds: "],
    [{ overlap_seconds: "1" }, "overlap_seconds: "],
    [{ overlap_seconds: null }, "overlap_seconds: "],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at: must be in the future"],
    [{ grant: limits }, "grant: unknown field, allowed: overlap_seconds, expires_at"],
  ])("rotating a key with %j is refused", async (body, message) => {
    const { key_id } = await create(ann, serviceAccount);
    await expect(begin(ann, key_id, body)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(message),
    });
  });
});
