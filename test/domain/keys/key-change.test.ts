import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Actor } from "../../../domain/access/access-rule.ts";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { apiKeyPatch, patchedKey, revokeKey, updateKey } from "../../../domain/keys/key-change.ts";
import { apiKeyBody, createKey } from "../../../domain/keys/key-creation.ts";
import { apiKeyRotationBody, rotateKey } from "../../../domain/keys/key-rotation.ts";
import { aKey } from "../../support/people/api-keys.ts";
import { keyDependencies, limits, serviceAccount } from "../../support/people/key-dependencies.ts";
import { ann, dan, memoryStores } from "../../support/people/memory-stores.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const later = (milliseconds: number) => new Date(now + milliseconds).toISOString();

let stores: Awaited<ReturnType<typeof memoryStores>>;
let deps: ReturnType<typeof keyDependencies>;
beforeEach(async () => {
  stores = await memoryStores();
  deps = keyDependencies(stores);
});

async function create(actor: Actor, body: object) {
  const { newId, create } = await createKey(deps, actor, apiKeyBody.parse(body));
  const { key: _text, ...record } = await create(newId);
  return record;
}
const update = async (actor: Actor, keyId: string, body: object, expected?: string[]) =>
  updateKey(deps, actor, keyId, parseRequest(apiKeyPatch, body, "body"), expected);
const revoke = (actor: Actor, keyId: string, expected?: string[]) => revokeKey(deps, actor, keyId, expected);
const stranger: Actor = { tenantId: "t2", sub: "eve", role: "owner" };

describe("a patched key", () => {
  test("changing a key keeps fields that the request does not name", () => {
    const key = aKey("k", { expires_at: later(1) });
    expect(patchedKey(key, { name: "New" })).toEqual({ ...key, name: "New", version: 2 });
    expect(patchedKey(key, { expires_at: null })).toEqual({ ...aKey("k"), version: 2 });
    expect(patchedKey(aKey("k"), { expires_at: later(2) })).toEqual({ ...aKey("k"), expires_at: later(2), version: 2 });
  });

  test("a request without changes leaves the key unchanged", () => {
    const key = aKey("k");
    expect(patchedKey(key, { name: key.name, expires_at: null })).toBe(key);
  });
});

describe("an update", () => {
  test("changing a key writes name and expiry with an audit entry; without a change it writes nothing", async () => {
    const made = await create(ann, serviceAccount);
    const changed = await update(ann, made.key_id, { name: "CI 2", expires_at: "2099-01-01T00:00:00Z" });
    expect(changed).toEqual({ ...made, name: "CI 2", expires_at: "2099-01-01T00:00:00.000Z", version: 2 });
    expect(await update(ann, made.key_id, { name: "CI 2" })).toEqual(changed);
    const entries = (await stores.trail()).filter(({ action }) => action === "key.update");
    expect(entries).toMatchObject([
      { actor: "ann", target: made.key_id, before: { name: "CI" }, after: { name: "CI 2" } },
    ]);
  });

  test("changing the limits of a key changes all active keys of the service account", async () => {
    const made = await create(ann, serviceAccount);
    const rotation = await rotateKey(deps, ann, made.key_id, apiKeyRotationBody.parse({}), undefined);
    const second = await rotation.create(rotation.newId);
    const less = { ...limits, monthly_budget_usd: 0.5, allowed_models: ["claude-sonnet-5"] };
    await update(ann, second.key_id, { grant: less });
    for (const id of [made.key_id, second.key_id]) {
      expect((await stores.apiKeys.get(id))?.grant).toMatchObject({ ...less, default_region: "us-east-1" });
    }
  });

  test("changing a key is done only on the expected version", async () => {
    const { key_id } = await create(ann, { name: "Mine" });
    await update(ann, key_id, { name: "One" }, ["1"]);
    await expect(update(ann, key_id, { name: "Two" }, ["1"])).rejects.toMatchObject({ code: "precondition_failed" });
    const both = await Promise.allSettled(["Three", "Four"].map((name) => update(ann, key_id, { name }, ["2"])));
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("an owner may change all keys, a developer only their own", async () => {
    await deps.giveGrant("dan");
    const own = await create(dan, { name: "Laptop" });
    const ci = await create(ann, serviceAccount);
    expect(await update(dan, own.key_id, { name: "Phone" })).toMatchObject({ name: "Phone" });
    expect(await update(ann, own.key_id, { name: "Dan's" })).toMatchObject({ name: "Dan's" });
    for (const [actor, id] of [
      [dan, ci.key_id],
      [stranger, own.key_id],
      [ann, "nothing"],
    ] as const) {
      await expect(update(actor, id, { name: "x" })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("changing the limits of a person's key is refused, and so is any change of a key that has ended", async () => {
    const { key_id } = await create(ann, { name: "Mine", expires_at: later(1_000) });
    await expect(update(ann, key_id, { grant: limits })).rejects.toThrow(/^grant: is only for service accounts/);
    stores.time.now += 1_000;
    const expired = `key_id: the key ${key_id} has expired; create another one`;
    await expect(update(ann, key_id, { expires_at: null })).rejects.toThrow(expired);
  });

  test.each([
    [{}, "body: names nothing to change, allowed: name, expires_at, grant"],
    [{ name: "" }, "name: must have 1 to 100 characters"],
    [{ name: null }, "name: "],
    [{ name: "<b>" }, "name: must not have < or >"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at: must be in the future"],
    [{ expires_at: 1 }, "expires_at: "],
    [{ grant: { ...limits, allowed_models: ["gpt"] } }, 'grant.allowed_models.0: no model "gpt"'],
    [{ grant: null }, "grant: "],
    [{ name: "x", mode: "test" }, "mode: unknown field, allowed: name, expires_at, grant"],
    [{ name: "x", status: "active" }, "status: unknown field, allowed: name, expires_at, grant"],
    [{ name: "x", caller_id: "x" }, "caller_id: unknown field, allowed: name, expires_at, grant"],
  ])("changing a key with %j is refused", async (body, message) => {
    const { key_id } = await create(ann, serviceAccount);
    await expect(update(ann, key_id, body)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(message),
    });
  });
});

describe("a revocation", () => {
  test("revoking a key again keeps the first time, and writes nothing", async () => {
    const { key_id } = await create(ann, { name: "Mine" });
    await revoke(ann, key_id);
    stores.time.now += 1_000;
    await revoke(ann, key_id);
    expect(await stores.apiKeys.get(key_id)).toMatchObject({ status: "revoked", revoked_at: later(0) });
    expect((await stores.trail()).filter(({ action }) => action === "key.revoke")).toHaveLength(1);
  });

  test("revoking an unknown key, another person's key or another workspace's key finds nothing", async () => {
    const { key_id } = await create(ann, { name: "Mine" });
    for (const actor of [dan, stranger])
      await expect(revoke(actor, key_id)).rejects.toMatchObject({ code: "not_found" });
    await expect(revoke(ann, "nothing")).rejects.toThrow("key_id: there is no key nothing here");
  });

  test("revoking a key can name the expected version", async () => {
    const { key_id } = await create(ann, { name: "Mine" });
    await expect(revoke(ann, key_id, ["2"])).rejects.toMatchObject({ code: "precondition_failed" });
    await revoke(ann, key_id, ["1"]);
    expect(await stores.apiKeys.get(key_id)).toMatchObject({ status: "revoked", version: 2 });
  });
});
