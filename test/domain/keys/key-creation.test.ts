import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Actor } from "../../../domain/access/access-rule.ts";
import { parseApiKey } from "../../../domain/access/key-text.ts";
import { KeyUsed } from "../../../domain/kernel/idempotency.ts";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { apiKeyBody, createKey } from "../../../domain/keys/key-creation.ts";
import { keyDependencies, limits, serviceAccount } from "../../support/people/key-dependencies.ts";
import { ann, dan, memoryStores } from "../../support/people/memory-stores.ts";

let stores: Awaited<ReturnType<typeof memoryStores>>;
let deps: ReturnType<typeof keyDependencies>;
beforeEach(async () => {
  stores = await memoryStores();
  deps = keyDependencies(stores);
});

const begin = (actor: Actor, body: object) => createKey(deps, actor, parseRequest(apiKeyBody, body, "body"));
const create = async (actor: Actor, body: object) => {
  const { newId, create } = await begin(actor, body);
  return create(newId);
};

describe("a key of a service account", () => {
  test("a key of a service account has its limits and its own caller, and is stored without its text", async () => {
    const { key, ...record } = await create(ann, { ...serviceAccount, expires_at: "2099-01-01T01:00:00+01:00" });
    expect(record).toEqual({
      key_id: parseApiKey(key)?.key_id,
      tenant_id: "t1",
      name: "CI",
      mode: "live",
      hash: `hash of ${key}`,
      last4: key.slice(-4),
      role: "service_account",
      caller_id: expect.stringMatching(/^sa_[0-9A-Za-z]{12}$/),
      scope: "proxy:invoke",
      status: "active",
      created_by: "ann",
      created_at: "2026-11-21T05:00:00.000Z",
      version: 1,
      expires_at: "2099-01-01T00:00:00.000Z",
      grant: {
        ...limits,
        budget_enforcement: "reserved",
        allow_global_profiles: false,
        // The grant does not allow the workspace's own region, eu-central-1.
        default_region: "us-east-1",
      },
    });
    expect(await stores.apiKeys.get(record.key_id)).toEqual(record);
    const [entry] = await stores.trail();
    expect(entry).toMatchObject({ action: "key.create", actor: "ann", target: record.key_id });
    expect(JSON.stringify(entry)).not.toMatch(/hash|ar_live/);
  });

  test("a key of a service account is refused if the workspace has the maximal number of service accounts", async () => {
    deps.settings.maxServiceAccounts = 1;
    await create(ann, serviceAccount);
    await expect(create(ann, serviceAccount)).rejects.toThrow(
      "kind: the workspace has 1 service accounts, which is the most; revoke a key of one that is not used any more",
    );
  });
});

describe("a person's key", () => {
  test("a person's key spends the person's grant, which a developer needs and the owner does not", async () => {
    await expect(begin(dan, { name: "Laptop" })).rejects.toMatchObject({ code: "grant_missing" });
    await deps.giveGrant("dan");
    const key = await create(dan, { name: "Laptop", mode: "test" });
    expect(key).toMatchObject({ mode: "test", role: "developer", caller_id: "dan", created_by: "dan" });
    expect(key).not.toHaveProperty("grant");
    expect(await create(ann, { name: "Mine" })).toMatchObject({ role: "owner", caller_id: "ann" });
  });

  test("a key is refused to a person with 50 active keys, and the refusal says what to do", async () => {
    for (let number = 0; number < 50; number++) await create(ann, { name: `${number}` });
    await expect(create(ann, { name: "51" })).rejects.toThrow(
      "There are 50 active keys of this caller, which is the most; revoke one that is not used any more",
    );
  });

  test("a key is refused to a person who is no longer a member", async () => {
    await deps.giveGrant("dan");
    const { newId, create } = await begin(dan, { name: "Laptop" });
    await stores.members.remove("t1", "dan", stores.time.now, () => stores.entry());
    await expect(create(newId)).rejects.toMatchObject({ code: "role_missing" });
  });
});

test("repeating the creation of a key does not return the key's text again, but its id", async () => {
  const { newId, create } = await begin(ann, serviceAccount);
  await create(newId);
  await expect(create(newId)).rejects.toThrow(KeyUsed);
  await expect(create(newId)).rejects.toThrow(`the key ${newId} was already created by this request`);
});

test.each([
  [{ ...serviceAccount, grant: undefined }, "grant: is required for a service account: its limits"],
  [{ name: "Mine", grant: limits }, "grant: is only for service accounts; a personal key spends its owner's grant"],
  [
    { ...serviceAccount, grant: { ...limits, allowed_models: [] } },
    "grant.allowed_models: must name at least one model",
  ],
  [{ ...serviceAccount, grant: { ...limits, allowed_models: ["gpt"] } }, 'grant.allowed_models.0: no model "gpt"'],
  [{ ...serviceAccount, grant: { ...limits, more: 1 } }, "grant.more: unknown field, allowed: allowed_models,"],
  [{ name: "" }, "name: must have 1 to 100 characters"],
  [{ name: "x".repeat(101) }, "name: must have 1 to 100 characters"],
  [{ name: "half\ud83d" }, "name: must not have control or invisible characters"],
  [{ name: "<b>" }, "name: must not have < or >"],
  [{}, "name: is required"],
  [{ name: "Mine", mode: "prod" }, "mode: must be one of live, test"],
  [{ name: "Mine", kind: "robot" }, "kind: must be service_account or personal"],
  [{ name: "Mine", expires_at: "tomorrow" }, "expires_at: must be an ISO 8601 time"],
  [{ name: "Mine", expires_at: "2020-01-01T00:00:00Z" }, "expires_at: must be in the future"],
  [{ name: "Mine", expires_at: "9999-12-31T23:59:59-12:00" }, "expires_at: must be before the year 10000"],
  [{ name: "Mine", hash: "x" }, "hash: unknown field, allowed: name, kind, mode, expires_at, grant"],
])("creating a key with %j is refused", async (body, message) => {
  await expect((async () => begin(ann, body))()).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining(message),
  });
});
