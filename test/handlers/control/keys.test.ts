import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { compareApiKey } from "../../../adapters/bcrypt.ts";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import type { Claims } from "../../../domain/access/credential.ts";
import { parseApiKey } from "../../../domain/access/key-text.ts";
import { openControlPlane, tableName } from "../../support/control-plane.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;
type Person = Claims & { tenant_id: string };

let plane: ControlPlane;
let owner: Person;
let developer: Person;
let workspaces = 0;

beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());
beforeEach(async () => {
  owner = await plane.workspace(`Workspace ${workspaces++}`);
  developer = await plane.developer(owner.tenant_id);
});

const grant = { allowed_models: ["*"], allowed_regions: ["us-east-1"], monthly_budget_usd: 1 };
const service = { name: "CI", kind: "service_account", grant };
const create = (as: Person, body: object, headers = {}) => plane.call("POST", "/v1/keys", { as, body, headers });
const giveGrant = (to: Person) => plane.call("PUT", `/v1/grants/${to.sub}`, { as: owner, body: grant });

describe("POST /v1/keys", () => {
  test("gives a service account a key with its limits, shown once", async () => {
    const { status, body } = await create(owner, { ...service, expires_at: "2099-01-01T01:00:00+01:00" });
    expect(status).toBe(201);
    expect(body).toEqual({
      key: expect.stringMatching(/^ar_live_/),
      key_id: parseApiKey(body.key)?.key_id,
      tenant_id: owner.tenant_id,
      name: "CI",
      mode: "live",
      last4: body.key.slice(-4),
      role: "service_account",
      caller_id: expect.stringMatching(/^sa_[0-9A-Za-z]{12}$/),
      scope: "proxy:invoke",
      status: "active",
      created_by: owner.sub,
      created_at: expect.stringMatching(/Z$/),
      version: 1,
      expires_at: "2099-01-01T00:00:00.000Z",
      grant: {
        ...grant,
        budget_enforcement: "reserved",
        allow_global_profiles: false,
        // The workspace's own, eu-central-1, is not in the grant.
        default_region: "us-east-1",
      },
    });
  });

  test("is refused to a service account too many, and says what to do", async () => {
    const small = await openControlPlane(({ settings }) => ({ settings: { ...settings, maxServiceAccounts: 1 } }));
    const as = await small.workspace("Small");
    const another = () => small.call("POST", "/v1/keys", { as, body: service });
    expect((await another()).status).toBe(201);
    const { status, body } = await another();
    expect([status, body.error.message]).toEqual([
      409,
      "kind: the workspace has 1 service accounts, which is the most; revoke a key of one that is not used any more",
    ]);
    await small.close();
  });

  test("keeps a bcrypt hash of the whole key and nothing else of it", async () => {
    const { body } = await create(owner, service);
    const record = await plane.stores.apiKeys.get(body.key_id);
    expect(record?.hash).toMatch(/^\$2[aby]\$04\$/);
    expect(await compareApiKey(body.key, record?.hash ?? "")).toBe(true);
    expect(JSON.stringify(record)).not.toContain(body.key.slice(-38, -4));
  });

  test("gives a developer a personal key that spends the developer's grant", async () => {
    await giveGrant(developer);
    const { status, body } = await create(developer, { name: "Laptop", mode: "test" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      mode: "test",
      role: "developer",
      caller_id: developer.sub,
      created_by: developer.sub,
    });
    expect(body.key).toMatch(/^ar_test_/);
    expect(body).not.toHaveProperty("grant");
  });

  test("gives the owner a personal key without any grant", async () => {
    expect(await create(owner, { name: "Mine" })).toMatchObject({
      status: 201,
      body: { role: "owner", caller_id: owner.sub },
    });
  });

  test("is refused to a person with 50 active keys, and says what to do", async () => {
    for (let number = 0; number < 50; number++) expect((await create(owner, { name: `${number}` })).status).toBe(201);
    const { status, body } = await create(owner, { name: "51" });
    const limit = "There are 50 active keys of this caller, which is the most; revoke one that is not used any more";
    expect([status, body.error.message]).toEqual([409, limit]);
  });

  test("refuses a developer without a grant", async () => {
    const { status, body } = await create(developer, { name: "Laptop" });
    expect(status).toBe(403);
    expect(body.error.details.error_code).toBe("grant_missing");
  });

  test("refuses a developer a service account, naming the role", async () => {
    await giveGrant(developer);
    const { status, body } = await create(developer, service);
    expect(status).toBe(403);
    expect(body.error.details.error_code).toBe("role_missing");
    expect(body.error.message).toContain("owner");
  });

  test.each([
    [{ ...service, grant: undefined }, "grant: is required for a service account: its limits"],
    [{ name: "Mine", grant }, "grant: is only for service accounts; a personal key spends its owner's grant"],
    [{ ...service, grant: { ...grant, allowed_models: [] } }, /^grant\.allowed_models: must name at least one model/],
    [{ ...service, grant: { ...grant, allowed_models: ["gpt"] } }, /^grant\.allowed_models\.0: no model "gpt"/],
    [{ ...service, grant: { ...grant, more: 1 } }, /^grant\.more: unknown field, allowed: allowed_models,/],
    [{ name: "" }, "name: must have 1 to 100 characters"],
    [{ name: "x".repeat(101) }, "name: must have 1 to 100 characters"],
    [{ name: "half\ud83d" }, "name: must not have control or invisible characters"],
    [{ name: "<b>" }, "name: must not have < or >"],
    [{}, "name: is required"],
    [{ name: "Mine", mode: "prod" }, 'mode: expected one of "live"|"test"'],
    [{ name: "Mine", kind: "robot" }, 'kind: expected one of "service_account"|"personal"'],
    [{ name: "Mine", expires_at: "tomorrow" }, /^expires_at: must be an ISO 8601 time/],
    [{ name: "Mine", expires_at: "2020-01-01T00:00:00Z" }, "expires_at: must be in the future"],
    [{ name: "Mine", expires_at: "9999-12-31T23:59:59-12:00" }, "expires_at: must be before the year 10000"],
    [{ name: "Mine", hash: "x" }, "hash: unknown field, allowed: name, kind, mode, expires_at, grant"],
  ])("refuses %j", async (body, message) => {
    const reply = await create(owner, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });

  test("creates no second key for a repeated Idempotency-Key, and says which one there is", async () => {
    const headers = { "idempotency-key": "one-key" };
    const replies = [await create(owner, service, headers), await create(owner, service, headers)];
    expect(replies.map(({ status }) => status)).toEqual([201, 409]);
    expect(replies[1]?.body.error.message).toContain(replies[0]?.body.key_id);
    const { body } = await plane.call("GET", "/v1/keys", { as: owner });
    expect(body.data).toHaveLength(1);
  });

  test("keeps nothing of the key with its Idempotency-Key", async () => {
    const { body } = await create(owner, service, { "idempotency-key": "secret" });
    const Key = keys.idempotency(owner.sub, "secret");
    const { Item } = await plane.document.send(new GetCommand({ TableName: tableName, Key }));
    expect(Item).toMatchObject({ resource_id: body.key_id });
    expect(Item).not.toHaveProperty("answer");
    expect(JSON.stringify(Item)).not.toContain(body.key);
  });

  test("a request that was refused leaves its Idempotency-Key for a better one", async () => {
    const headers = { "idempotency-key": "refused-first" };
    expect(await create(developer, { name: "Laptop" }, headers)).toMatchObject({ status: 403 });
    await giveGrant(developer);
    const late = { name: "Laptop", expires_at: "2020-01-01T00:00:00Z" };
    expect(await create(developer, late, headers)).toMatchObject({ status: 400 });
    expect(await create(developer, { name: "Phone" }, headers)).toMatchObject({ status: 201 });
  });
});

describe("GET /v1/keys", () => {
  test("shows the owner all keys and a developer their own, never a hash or a key", async () => {
    await giveGrant(developer);
    await create(owner, service);
    const { body: own } = await create(developer, { name: "Laptop" });
    const all = await plane.call("GET", "/v1/keys", { as: owner });
    expect(all.body.data.map(({ name }: { name: string }) => name).sort()).toEqual(["CI", "Laptop"]);
    const mine = await plane.call("GET", "/v1/keys", { as: developer });
    expect(mine.body.data).toEqual([{ ...own, key: undefined }]);
    expect(JSON.stringify([all.body, mine.body])).not.toMatch(/hash|\$2b\$|ar_live_/);
  });

  test("pages through a developer's own keys past those of others", async () => {
    await giveGrant(developer);
    for (const name of ["1", "2", "3"]) {
      await create(owner, { ...service, name: `CI ${name}` });
      await create(developer, { name });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: "1", ...(cursor && { cursor }) };
      const { body } = await plane.call("GET", "/v1/keys", { as: developer, query });
      expect(body.data.length).toBeLessThanOrEqual(1);
      seen.push(...body.data.map(({ name }: { name: string }) => name));
      cursor = body.next_cursor;
    } while (cursor);
    expect(seen.sort()).toEqual(["1", "2", "3"]);
  });
});

describe("GET /v1/keys?caller_id=...", () => {
  const names = async (as: Person, caller_id: string) =>
    (await plane.call("GET", "/v1/keys", { as, query: { caller_id } })).body.data.map(
      ({ name }: { name: string }) => name,
    );

  test("shows a caller's keys to the owner, and to a developer only their own", async () => {
    await giveGrant(developer);
    const { body: ci } = await create(owner, service);
    await create(owner, { name: "Mine" });
    await create(developer, { name: "Laptop" });
    expect(await names(owner, ci.caller_id)).toEqual(["CI"]);
    expect(await names(owner, developer.sub)).toEqual(["Laptop"]);
    expect(await names(owner, "nobody")).toEqual([]);
    expect(await names(developer, developer.sub)).toEqual(["Laptop"]);
    expect(await names(developer, owner.sub)).toEqual([]);
    expect(await names(developer, ci.caller_id)).toEqual([]);
  });

  test.each(["", "x".repeat(256)])("refuses %j", async (caller_id) => {
    const { status, body } = await plane.call("GET", "/v1/keys", { as: owner, query: { caller_id } });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^caller_id: must/)]);
  });

  test("shows when a key was last used, and nothing for one that never was", async () => {
    const { body: used } = await create(owner, service);
    await create(owner, { name: "Mine" });
    await plane.stores.lastUses.put(used.key_id, Date.parse("2026-11-21T05:00:00Z"));
    const { body } = await plane.call("GET", "/v1/keys", { as: owner });
    const shown = body.data.map(({ name, last_used_at }: Record<string, string>) => [name, last_used_at]).sort();
    expect(shown).toEqual([
      ["CI", "2026-11-21T05:00:00.000Z"],
      ["Mine", undefined],
    ]);
  });
});

const patch = (as: Person, keyId: string, body: object) => plane.call("PATCH", `/v1/keys/${keyId}`, { as, body });

describe("PATCH /v1/keys/{key_id}", () => {
  test("changes name and end; what is not named stays", async () => {
    const { body } = await create(owner, service);
    const { key, ...made } = body;
    const { status, body: changed } = await patch(owner, body.key_id, {
      name: "CI 2",
      expires_at: "2099-01-01T00:00:00Z",
    });
    expect([status, changed]).toEqual([
      200,
      { ...made, name: "CI 2", expires_at: "2099-01-01T00:00:00.000Z", version: 2 },
    ]);
    expect((await patch(owner, body.key_id, { expires_at: null })).body).toEqual({ ...made, name: "CI 2", version: 3 });
  });

  test("changes the limits of a service account, on all its keys", async () => {
    const { body } = await create(owner, service);
    const { body: second } = await rotate(owner, body.key_id, {});
    const less = { ...grant, monthly_budget_usd: 0.5, allowed_models: ["claude-sonnet-5"] };
    expect(await patch(owner, second.key_id, { grant: less })).toMatchObject({ status: 200, body: { grant: less } });
    for (const id of [body.key_id, second.key_id]) {
      expect((await plane.stores.apiKeys.get(id))?.grant).toMatchObject({ ...less, default_region: "us-east-1" });
    }
  });

  test("is for a developer's own keys, and the owner's for all of the workspace", async () => {
    await giveGrant(developer);
    const { body: own } = await create(developer, { name: "Laptop" });
    const { body: ci } = await create(owner, service);
    const stranger = await plane.workspace(`Workspace ${workspaces++}`);
    expect((await patch(developer, own.key_id, { name: "Phone" })).status).toBe(200);
    expect((await patch(owner, own.key_id, { name: "Ann's" })).status).toBe(200);
    for (const [as, id] of [
      [developer, ci.key_id],
      [stranger, own.key_id],
      [owner, "nothing"],
    ] as const) {
      expect((await patch(as, id, { name: "x" })).status).toBe(404);
    }
  });

  test.each([
    [{}, "body: names nothing to change, allowed: name, expires_at, grant"],
    [{ name: "" }, "name: must have 1 to 100 characters"],
    [{ name: null }, /^name: /],
    [{ name: "<b>" }, "name: must not have < or >"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at: must be in the future"],
    [{ expires_at: 1 }, /^expires_at: /],
    [{ grant: { ...grant, allowed_models: ["gpt"] } }, /^grant\.allowed_models\.0: no model "gpt"/],
    [{ grant: null }, /^grant: /],
    [{ name: "x", mode: "test" }, "mode: unknown field, allowed: name, expires_at, grant"],
    [{ name: "x", status: "active" }, "status: unknown field, allowed: name, expires_at, grant"],
    [{ name: "x", caller_id: "x" }, "caller_id: unknown field, allowed: name, expires_at, grant"],
  ])("refuses %j", async (body, message) => {
    const { body: key } = await create(owner, service);
    const reply = await patch(owner, key.key_id, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });

  test("refuses limits for a person's key, and any change of one that is over", async () => {
    const { body } = await create(owner, { name: "Mine", expires_at: new Date(plane.clock() + 1_000).toISOString() });
    const refused = await patch(owner, body.key_id, { grant });
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(/^grant: is only for/)]);
    plane.db.clock.advance(1_000);
    const late = await patch(owner, body.key_id, { expires_at: null });
    const expired = `key_id: the key ${body.key_id} has expired; create another one`;
    expect([late.status, late.body.error.message]).toEqual([409, expired]);
  });
});

const rotate = (as: Person, keyId: string, body: object, headers = {}) =>
  plane.call("POST", `/v1/keys/${keyId}/rotate`, { as, body, headers });

describe("POST /v1/keys/{key_id}/rotate", () => {
  test("gives another key of the same caller, shown once, and says until when the old one is good", async () => {
    const { body: old } = await create(owner, { ...service, mode: "test" });
    const { status, body } = await rotate(owner, old.key_id, { overlap_seconds: 60 });
    const ends = new Date(Date.parse(body.created_at) + 60_000).toISOString();
    expect([status, body]).toEqual([
      201,
      {
        ...old,
        key: expect.stringMatching(/^ar_test_/),
        key_id: parseApiKey(body.key)?.key_id,
        last4: body.key.slice(-4),
        created_at: expect.any(String),
        replaces: { key_id: old.key_id, expires_at: ends },
      },
    ]);
    expect(body.key_id).not.toBe(old.key_id);
    const { hash } = (await plane.stores.apiKeys.get(body.key_id)) ?? {};
    expect(await compareApiKey(body.key, hash ?? "")).toBe(true);
    expect(await plane.stores.apiKeys.get(old.key_id)).toMatchObject({ expires_at: ends, replaced_by: body.key_id });
  });

  test("gives no second key for a repeated Idempotency-Key, even once the old key is over", async () => {
    const { body: old } = await create(owner, service);
    const again = () => rotate(owner, old.key_id, { overlap_seconds: 0 }, { "idempotency-key": "rotation" });
    const replies = [await again(), await again()];
    expect(replies.map(({ status }) => status)).toEqual([201, 409]);
    expect(replies[1]?.body.error.message).toContain(`idempotency-key: the key ${replies[0]?.body.key_id} was created`);
    const another = await rotate(owner, old.key_id, {});
    const advice = `it was replaced by ${replies[0]?.body.key_id}`;
    expect([another.status, another.body.error.message]).toEqual([409, expect.stringContaining(advice)]);
    expect((await plane.call("GET", "/v1/keys", { as: owner })).body.data).toHaveLength(2);
  });

  test("is for one's own keys and, for the owner, those of service accounts: nobody gets another's key", async () => {
    await giveGrant(developer);
    const { body: own } = await create(developer, { name: "Laptop" });
    const { body: ci } = await create(owner, service);
    const stranger = await plane.workspace(`Workspace ${workspaces++}`);
    expect((await rotate(developer, own.key_id, {})).status).toBe(201);
    const denied = await rotate(owner, own.key_id, {});
    expect([denied.status, denied.body.error.details.error_code]).toEqual([403, "role_missing"]);
    expect((await rotate(developer, ci.key_id, {})).status).toBe(404);
    expect((await rotate(stranger, ci.key_id, {})).status).toBe(404);
    await plane.call("DELETE", `/v1/grants/${developer.sub}`, { as: owner });
    const withoutGrant = await rotate(developer, own.key_id, {});
    expect([withoutGrant.status, withoutGrant.body.error.details.error_code]).toEqual([403, "grant_missing"]);
  });

  test.each([
    [{ overlap_seconds: -1 }, "overlap_seconds: must be 0 to 604800, which is 7 days"],
    [{ overlap_seconds: 604_801 }, "overlap_seconds: must be 0 to 604800, which is 7 days"],
    [{ overlap_seconds: "1" }, /^overlap_seconds: /],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at: must be in the future"],
    [{ grant }, "grant: unknown field, allowed: overlap_seconds, expires_at"],
  ])("refuses %j", async (body, message) => {
    const { body: key } = await create(owner, service);
    const reply = await rotate(owner, key.key_id, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
  });
});

test("each change of a key is in the audit trail, with no secret in it, and what changes nothing is not", async () => {
  const { body } = await create(owner, service);
  await patch(owner, body.key_id, { name: "CI 2" });
  const { body: second } = await rotate(owner, body.key_id, {});
  const revoke = () => plane.call("DELETE", `/v1/keys/${second.key_id}`, { as: owner });
  for (const status of [204, 204]) expect((await revoke()).status).toBe(status);
  await patch(owner, second.key_id, { name: "Late" });
  const month = new Date(plane.clock()).toISOString().slice(0, 7);
  const { Items = [] } = await plane.document.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": keys.audit(owner.tenant_id, month, "").pk },
    }),
  );
  const ofKeys = Items.filter(({ action }) => action.startsWith("key."));
  expect(ofKeys.map(({ action, actor, target }) => [action, actor, target]).sort()).toEqual([
    ["key.create", owner.sub, body.key_id],
    ["key.revoke", owner.sub, second.key_id],
    ["key.rotate", owner.sub, body.key_id],
    ["key.update", owner.sub, body.key_id],
  ]);
  expect(ofKeys.find(({ action }) => action === "key.update")).toMatchObject({
    before: { name: "CI" },
    after: { name: "CI 2" },
  });
  expect(JSON.stringify(ofKeys)).not.toMatch(/hash|\$2b\$|ar_live_/);
});

describe("DELETE /v1/keys/{key_id}", () => {
  test("revokes a key and keeps it in the list; a repeat changes nothing", async () => {
    const { body } = await create(owner, service);
    const revoke = () => plane.call("DELETE", `/v1/keys/${body.key_id}`, { as: owner });
    expect(await revoke()).toMatchObject({ status: 204 });
    const [first] = (await plane.call("GET", "/v1/keys", { as: owner })).body.data;
    expect(first).toMatchObject({ status: "revoked", revoked_at: expect.stringMatching(/Z$/) });
    plane.db.clock.advance(1_000);
    expect(await revoke()).toMatchObject({ status: 204 });
    expect((await plane.call("GET", "/v1/keys", { as: owner })).body.data).toEqual([first]);
  });

  test("is 404 for a developer and another's key, and for another workspace's", async () => {
    await giveGrant(developer);
    const { body } = await create(owner, { name: "Mine" });
    const { body: own } = await create(developer, { name: "Laptop" });
    const stranger = await plane.workspace(`Workspace ${workspaces++}`);
    for (const as of [developer, stranger]) {
      expect(await plane.call("DELETE", `/v1/keys/${body.key_id}`, { as })).toMatchObject({ status: 404 });
    }
    expect(await plane.stores.apiKeys.get(body.key_id)).toMatchObject({ status: "active" });
    expect(await plane.call("DELETE", `/v1/keys/${own.key_id}`, { as: developer })).toMatchObject({ status: 204 });
  });

  test("is 404 for what does not exist", async () => {
    const { status, body } = await plane.call("DELETE", "/v1/keys/nothing", { as: owner });
    expect(status).toBe(404);
    expect(body.error.message).toBe("key_id: there is no key nothing here");
  });
});
