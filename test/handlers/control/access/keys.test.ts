import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { compareApiKey } from "../../../../adapters/bcrypt.ts";
import { idempotencyRecord } from "../../../../adapters/dynamodb/kernel/idempotency.record.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { parseApiKey } from "../../../../domain/access/key-text.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";

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
  test("POST /v1/keys gives a service account a key with its limits, and shows the key once", async () => {
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

  test("POST /v1/keys stores only a bcrypt hash of the whole key", async () => {
    const { body } = await create(owner, service);
    const record = await plane.stores.apiKeys.get(body.key_id);
    expect(record?.hash).toMatch(/^\$2[aby]\$04\$/);
    expect(await compareApiKey(body.key, record?.hash ?? "")).toBe(true);
    expect(JSON.stringify(record)).not.toContain(body.key.slice(-38, -4));
  });

  test("POST /v1/keys refuses a developer without a grant", async () => {
    const { status, body } = await create(developer, { name: "Laptop" });
    expect(status).toBe(403);
    expect(body.error.details.error_code).toBe("grant_missing");
  });

  test("POST /v1/keys stores no part of the key's text with its Idempotency-Key", async () => {
    const { body } = await create(owner, service, { "idempotency-key": "secret" });
    const Key = idempotencyRecord.key({ sub: owner.sub, key: "secret" });
    const { Item } = await plane.document.send(new GetCommand({ TableName: tableName, Key }));
    expect(Item).toMatchObject({ resource_id: body.key_id });
    expect(Item).not.toHaveProperty("answer");
    expect(JSON.stringify(Item)).not.toContain(body.key);
  });

  test("a refused request does not use up its Idempotency-Key", async () => {
    const headers = { "idempotency-key": "refused-first" };
    expect(await create(developer, { name: "Laptop" }, headers)).toMatchObject({ status: 403 });
    await giveGrant(developer);
    const late = { name: "Laptop", expires_at: "2020-01-01T00:00:00Z" };
    expect(await create(developer, late, headers)).toMatchObject({ status: 400 });
    expect(await create(developer, { name: "Phone" }, headers)).toMatchObject({ status: 201 });
  });
});

describe("GET /v1/keys", () => {
  test("GET /v1/keys shows the owner all keys and a developer their own, but never a hash or a key's text", async () => {
    await giveGrant(developer);
    await create(owner, service);
    const { body: own } = await create(developer, { name: "Laptop" });
    const all = await plane.call("GET", "/v1/keys", { as: owner });
    expect(all.body.data.map(({ name }: { name: string }) => name).sort()).toEqual(["CI", "Laptop"]);
    const mine = await plane.call("GET", "/v1/keys", { as: developer });
    expect(mine.body.data).toEqual([{ ...own, key: undefined }]);
    expect(JSON.stringify([all.body, mine.body])).not.toMatch(/hash|\$2b\$|ar_live_/);
  });

  test("GET /v1/keys lists a developer's own keys page by page, without those of others", async () => {
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

  test("GET /v1/keys as CSV has a line for each key of the filter, and never a key's text", async () => {
    for (const name of ["=CI", "Nightly"]) await create(owner, { ...service, name });
    const query = { format: "csv", status: "active", mode: "live" };
    const { body, headers } = await plane.call("GET", "/v1/keys", { as: owner, query });
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    const [head, ...lines] = body.trimEnd().split("\r\n");
    expect(head).toMatch(/^key_id,tenant_id,name,.*,status,.*,last_used_at$/);
    expect(lines.map((line: string) => line.split(",")[2]).sort()).toEqual(["'=CI", "Nightly"]);
    expect(body).not.toMatch(/hash|\$2b\$|ar_live_/);
    const none = await plane.call("GET", "/v1/keys", { as: owner, query: { ...query, status: "revoked" } });
    expect(none.body).toBe(`${head}\r\n`);
  });
});

describe("GET /v1/keys/{key_id}", () => {
  test("GET /v1/keys/{key_id} shows a key to people who may see it, with its ETag, at the address in Location", async () => {
    const owner = await plane.workspace("One key");
    const [developer, other] = [await plane.developer(owner.tenant_id), await plane.developer(owner.tenant_id)];
    const created = await plane.call("POST", "/v1/keys", { as: owner, body: { name: "Laptop" } });
    const path = String(created.headers.location);
    const { status, body, headers } = await plane.call("GET", path, { as: owner });
    const { key: _secret, ...shown } = created.body;
    expect([status, body, headers.etag]).toEqual([200, shown, `"${shown.version}"`]);
    for (const as of [developer, other]) expect((await plane.call("GET", path, { as })).status).toBe(404);
  });
});

describe("GET /v1/keys?status=...&mode=...", () => {
  test("GET /v1/keys shows a key as expired after its expiry, and filters by status, page by page", async () => {
    const owner = await plane.workspace("Ends");
    const make = async (body: object) => (await plane.call("POST", "/v1/keys", { as: owner, body })).body.key_id;
    const soon = new Date(plane.clock() + 1_000).toISOString();
    const later = new Date(plane.clock() + 3_600_000).toISOString();
    const active = [await make({ name: "A" }), await make({ name: "B", mode: "test", expires_at: later })];
    const expired = await make({ name: "C", expires_at: soon });
    const revoked = await make({ name: "D" });
    await plane.call("DELETE", `/v1/keys/${revoked}`, { as: owner });
    plane.db.clock.advance(2_000);
    const found = async (query: Record<string, string>) => {
      const { body } = await plane.call("GET", "/v1/keys", { as: owner, query });
      return body.data.map(({ key_id, status }: { key_id: string; status: string }) => [key_id, status]).sort();
    };
    expect(await found({ status: "active" })).toEqual(active.map((id) => [id, "active"]).sort());
    expect(await found({ status: "expired" })).toEqual([[expired, "expired"]]);
    expect(await found({ status: "revoked" })).toEqual([[revoked, "revoked"]]);
    expect(await found({ mode: "test", status: "active" })).toEqual([[active[1], "active"]]);
    expect(await found({ mode: "test", status: "revoked" })).toEqual([]);
    const { status, body } = await plane.call("GET", "/v1/keys", { as: owner, query: { status: "dead" } });
    expect([status, body.error.message]).toEqual([400, "status: must be one of active, expired, revoked"]);
  });
});

describe("GET /v1/keys?needs_care=true", () => {
  const day = 86_400_000;

  test("GET /v1/keys?needs_care=true lists active keys without an expiry, and those unused for 90 days, on whatever page they are", async () => {
    const owner = await plane.workspace("Care");
    const make = async (body: object) => (await plane.call("POST", "/v1/keys", { as: owner, body })).body.key_id;
    const end = new Date(plane.clock() + 365 * day).toISOString();
    const endless = await make({ name: "Endless" });
    const idle = await make({ name: "Idle", expires_at: end });
    const used = await make({ name: "Used", expires_at: end });
    const revoked = await make({ name: "Revoked" });
    await plane.call("DELETE", `/v1/keys/${revoked}`, { as: owner });
    plane.db.clock.advance(91 * day);
    await make({ name: "New", expires_at: end });
    await plane.stores.lastUses.put(used, plane.clock() - day);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { needs_care: "true", limit: "1", ...(cursor && { cursor }) };
      const { body } = await plane.call("GET", "/v1/keys", { as: owner, query });
      expect(body.data.length).toBeLessThanOrEqual(1);
      found.push(...body.data.map(({ key_id }: { key_id: string }) => key_id));
      cursor = body.next_cursor;
    } while (cursor);
    expect(found.sort()).toEqual([endless, idle].sort());
    const query = { needs_care: "true", status: "revoked" };
    expect((await plane.call("GET", "/v1/keys", { as: owner, query })).body.data).toEqual([]);
  });
});

describe("GET /v1/keys?caller_id=...", () => {
  const names = async (as: Person, caller_id: string) =>
    (await plane.call("GET", "/v1/keys", { as, query: { caller_id } })).body.data.map(
      ({ name }: { name: string }) => name,
    );

  test("GET /v1/keys?caller_id=... shows a caller's keys to the owner, and to a developer only their own", async () => {
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

  test.each(["", "x".repeat(256)])("GET /v1/keys?caller_id=... refuses %j", async (caller_id) => {
    const { status, body } = await plane.call("GET", "/v1/keys", { as: owner, query: { caller_id } });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^caller_id: must/)]);
  });

  test("GET /v1/keys?caller_id=... shows when a key was last used, and no time for an unused key", async () => {
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

describe("GET /v1/keys?key_id=...", () => {
  const names = async (as: Person, ids: string[]) =>
    (await plane.call("GET", "/v1/keys", { as, query: { key_id: ids.join() } })).body.data.map(
      ({ name }: { name: string }) => name,
    );

  test("GET /v1/keys?key_id=... shows the named keys in their order, including ended ones, and to a developer only their own", async () => {
    await giveGrant(developer);
    const { body: ci } = await create(owner, service);
    const { body: laptop } = await create(developer, { name: "Laptop" });
    await plane.call("DELETE", `/v1/keys/${laptop.key_id}`, { as: developer });
    const ids = [laptop.key_id, "nobodys", ci.key_id];
    expect(await names(owner, ids)).toEqual(["Laptop", "CI"]);
    expect(await names(developer, ids)).toEqual(["Laptop"]);
    const stranger = await plane.workspace("Strangers");
    expect(await names(stranger, ids)).toEqual([]);
  });

  test.each([
    { key_id: "" },
    { key_id: "one,one" },
    { key_id: Array.from({ length: 101 }, (_, at) => `k${at}`).join() },
    { key_id: "one", status: "active" },
    { key_id: "one", needs_care: "true" },
  ])("GET /v1/keys?key_id=... refuses %j", async (query) => {
    const { status, body } = await plane.call("GET", "/v1/keys", { as: owner, query });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^key_id(\.0)?: must/)]);
  });
});

const patch = (as: Person, keyId: string, body: object) => plane.call("PATCH", `/v1/keys/${keyId}`, { as, body });

describe("PATCH /v1/keys/{key_id}", () => {
  test("PATCH /v1/keys/{key_id} changes name and expiry, and keeps fields that are not named", async () => {
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
});

const rotate = (as: Person, keyId: string, body: object, headers = {}) =>
  plane.call("POST", `/v1/keys/${keyId}/rotate`, { as, body, headers });

describe("POST /v1/keys/{key_id}/rotate", () => {
  test("POST /v1/keys/{key_id}/rotate gives a new key of the same caller, shown once, and says when the old key expires", async () => {
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
});

describe("DELETE /v1/keys/{key_id}", () => {
  test("DELETE /v1/keys/{key_id} revokes a key and keeps it in the list; repeating it changes nothing", async () => {
    const { body } = await create(owner, service);
    const revoke = () => plane.call("DELETE", `/v1/keys/${body.key_id}`, { as: owner });
    expect(await revoke()).toMatchObject({ status: 204 });
    const [first] = (await plane.call("GET", "/v1/keys", { as: owner })).body.data;
    expect(first).toMatchObject({ status: "revoked", revoked_at: expect.stringMatching(/Z$/) });
    plane.db.clock.advance(1_000);
    expect(await revoke()).toMatchObject({ status: 204 });
    expect((await plane.call("GET", "/v1/keys", { as: owner })).body.data).toEqual([first]);
  });

  test("DELETE /v1/keys/{key_id} answers 404 for a key that does not exist", async () => {
    const { status, body } = await plane.call("DELETE", "/v1/keys/nothing", { as: owner });
    expect(status).toBe(404);
    expect(body.error.message).toBe("key_id: there is no key nothing here");
  });
});
