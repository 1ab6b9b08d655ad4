import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { auditPut } from "../../../../adapters/dynamodb/workspace/audit.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { markedCursor } from "../../../../handlers/control/routing/cursor.ts";
import { consoleClient, openControlPlane } from "../../../support/control-plane.ts";
import { countedCalls } from "../../../support/dynamodb/counted-calls.ts";

const dayMs = 86_400_000;
let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Claims & { tenant_id: string };

/** Ten entries of ann and bob by turns, a week apart, the last one a day old. */
beforeAll(async () => {
  plane = await openControlPlane();
  owner = await plane.workspace("Audited");
  for (let n = 0; n < 10; n++) {
    const now = plane.clock() - (1 + 7 * (9 - n)) * dayMs;
    const actor = n % 2 === 0 ? "ann" : "bob";
    const change = { tenant_id: owner.tenant_id, actor, action: "grant.put", target: `t${n}` } as const;
    await plane.document.send(
      new PutCommand({ TableName: "main", ...auditPut(auditEntry(change, { id: `e${n}`, now })).Put }),
    );
  }
});
afterAll(() => plane.close());

const list = (query: Record<string, string>, as: Partial<Claims> = owner) =>
  plane.call("GET", "/v1/audit", { as, query });

async function targets(query: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await list({ ...query, ...(cursor !== undefined && { cursor }) });
    expect(status).toBe(200);
    found.push(...body.data.map(({ target }: { target: string }) => target));
    cursor = body.next_cursor;
  } while (cursor !== undefined);
  return found;
}

test.each(["1", "3", "50"])(
  "the owner reads the audit trail newest first, across months, in pages of %s",
  async (limit) => {
    const newestFirst = Array.from({ length: 10 }, (_, n) => `t${9 - n}`);
    expect(await targets({ limit })).toEqual([owner.tenant_id, ...newestFirst]);
  },
);

test("the audit trail is filtered by actor, by action, by target and by time", async () => {
  expect(await targets({ actor: "bob", limit: "2" })).toEqual(["t9", "t7", "t5", "t3", "t1"]);
  expect(await targets({ action: "tenant.create" })).toEqual([owner.tenant_id]);
  expect(await targets({ target: "t4" })).toEqual(["t4"]);
  expect(await targets({ target: owner.tenant_id, action: "grant.put" })).toEqual([]);
  const at = (days: number) => new Date(plane.clock() - days * dayMs).toISOString();
  expect(await targets({ from: at(16), to: at(5) })).toEqual(["t8", "t7"]);
});

test("the audit trail of a time without entries is an empty page, and at most 25 months are read", async () => {
  const years = [
    { to: "0020-02-29T00:00:00Z" },
    { from: "9999-01-01T00:00:00Z" },
    { from: "2026-11-02T00:00:00Z", to: "2026-11-01T00:00:00Z" },
    { from: "0000-01-01T00:00:00Z", to: "2001-01-01T00:00:00Z" },
  ];
  for (const query of years) expect([query, (await list(query)).body]).toEqual([query, { data: [] }]);
  expect(await targets({ from: "0000-01-01T00:00:00Z", to: "9999-12-31T23:59:59Z" })).toHaveLength(11);
  const whole = { from: "0000-01-01T00:00:00Z", to: "9999-12-31T23:59:59Z" };
  expect(await countedCalls(plane.document, () => list(whole))).toBeLessThanOrEqual(28);
});

test.each(["x", "2025-99-01", "2026-1", "9999-12-31T00:00:00.000Z#x", "2026-11-01"])(
  "the audit trail accepts the unknown cursor %s as a place in the trail",
  async (place) => {
    const own = Buffer.from(place).toString("base64url");
    const cursor = markedCursor({ method: "GET", path: "/v1/audit" }, own);
    expect(await list({ cursor })).toMatchObject({ status: 200, body: { data: expect.any(Array) } });
  },
);

test.each(["0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-12:00"])(
  "the audit trail refuses the time %s and names the field",
  async (to) => {
    const { status, body } = await list({ to });
    expect([status, body.error.message]).toEqual([400, "to: must be in the years 0000 to 9999"]);
  },
);

test("the audit trail can be read only by the owner, and has no entry of another workspace", async () => {
  const developer = await plane.developer(owner.tenant_id);
  expect((await list({}, developer)).status).toBe(403);
  const other = await plane.workspace("Other trail");
  expect((await list({}, other)).body.data.map(({ action }: { action: string }) => action)).toEqual(["tenant.create"]);
});

test("the audit trail refuses an invalid time and names the field", async () => {
  expect((await list({ from: "yesterday" })).body.error.message).toMatch(/^from: must be an ISO 8601 time/);
});

test("the audit trail as CSV has a line for each entry, its states as JSON, and no formula that a spreadsheet would run", async () => {
  const tenant = await plane.workspace("Exported");
  const path = `/v1/tenants/${tenant.tenant_id}`;
  await plane.call("PATCH", path, { as: tenant, body: { name: "=1+1" } });
  const evil = { tenant_id: tenant.tenant_id, action: "key.create", target: "@SUM(A1)" } as const;
  for (const [n, actor] of ["=cmd", "+1", "-1", "\tx", "\rx"].entries()) {
    const entry = auditEntry({ ...evil, actor, after: { name: '=1,"' } }, { id: `x${n}`, now: plane.clock() + 1 + n });
    await plane.document.send(new PutCommand({ TableName: "main", ...auditPut(entry).Put }));
  }
  plane.db.clock.advance(10);
  const { body, headers } = await list({ format: "csv" }, tenant);
  expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(body).toMatch(
    /^audit_id,tenant_id,at,actor,actor_role,action,target,before,after,actor_email,target_email\r\n/,
  );
  for (const actor of ["'=cmd", "'+1", "'-1", "'\tx", `"'\rx"`]) {
    expect(body).toContain(`,${actor},,key.create,'@SUM(A1),,"{""name"":""=1,\\""""}",,\r\n`);
  }
  expect(body).toContain(
    `tenant.update,${tenant.tenant_id},"{""name"":""Exported"",""slug"":""exported""}","{""name"":""=1+1""`,
  );
  const first = await list({ format: "csv", limit: "1" }, tenant);
  expect(first.body.split("\r\n")).toHaveLength(3);
  const rest = await list({ format: "csv", cursor: String(first.headers["x-next-cursor"]) }, tenant);
  expect(first.body + rest.body.slice(rest.body.indexOf("\n") + 1)).toBe(body);
});

test.each([
  [{ limit: "101" }, "limit: must be 1 to 100"],
  [{ limit: "1001", format: "csv" }, "limit: must be 1 to 100, as CSV to 1000"],
  [{ limit: "0" }, "limit: must be 1 to 100, as CSV to 1000"],
  [{ format: "xml" }, "format: must be json or csv"],
])("the audit trail refuses the query %j", async (query, message) => {
  const { status, body } = await list(query);
  expect([status, body.error.message]).toEqual([400, message]);
});

test("the platform's audit trail can be read only by its administrators, whichever workspace they have chosen", async () => {
  const sub = "waits";
  const created_at = "2026-11-21T05:00:00.000Z";
  await plane.stores.users.putProfile({
    sub,
    email: "w@acme.test",
    approval_status: "pending",
    created_at,
    provider: "password",
    email_verified: true,
  });
  const admin = { sub: "root", platform_role: "platform_admin" } as const;
  expect((await plane.call("POST", `/v1/users/${sub}/approve`, { as: admin })).status).toBe(200);
  const trail = (as: Partial<Claims>) =>
    plane.call("GET", "/v1/audit/platform", { as, query: { action: "user.approve" } });
  expect((await trail(admin)).body.data).toMatchObject([
    { tenant_id: "platform", actor: "root", target: sub, after: { approval_status: "approved" } },
  ]);
  expect((await trail(owner)).status).toBe(403);
  // Nobody's token names the platform as a workspace and is let in.
  expect((await list({}, { ...owner, tenant_id: "platform" })).status).toBe(403);
});

test("the audit trail shows a person's address beside the id, and of the platform's staff only the role", async () => {
  const tenant = await plane.workspace("Addressed");
  const proved = { provider: "password", email_verified: true };
  const profile = { ...proved, approval_status: "approved", created_at: "2026-11-21T05:00:00.000Z" } as const;
  await plane.stores.users.putProfile({ sub: tenant.sub, email: "owner@acme.test", ...profile });
  const admin = { sub: randomUUID(), platform_role: "platform_admin" } as const;
  await plane.stores.users.putProfile({ sub: admin.sub, email: "root@archway.test", ...profile });
  const path = `/v1/tenants/${tenant.tenant_id}`;
  expect((await plane.call("POST", `${path}/suspend`, { as: admin, body: { reason: "Unpaid" } })).status).toBe(200);
  const developer = await plane.developer(tenant.tenant_id);
  await plane.stores.users.putProfile({ sub: developer.sub, email: "dev@acme.test", ...profile });
  expect((await plane.call("DELETE", `/v1/users/${developer.sub}`, { as: tenant })).status).toBe(204);
  const own = (await list({}, tenant)).body.data;
  expect(own).toMatchObject([
    { action: "user.remove", actor_email: "owner@acme.test", target_email: "dev@acme.test" },
    { action: "tenant.suspend", actor: admin.sub, actor_role: "platform_admin" },
    { action: "tenant.create", actor_email: "owner@acme.test" },
  ]);
  expect(own[1]).not.toHaveProperty("actor_email");
  const platforms = (await plane.call("GET", `${path}/audit`, { as: admin })).body.data;
  expect(platforms).toMatchObject([
    { action: "tenant.read_audit", actor_email: "root@archway.test" },
    { action: "user.remove" },
    { action: "tenant.suspend", actor_email: "root@archway.test" },
    { action: "tenant.create" },
  ]);
  const query = { actor: admin.sub };
  const acts = (await plane.call("GET", "/v1/audit/platform", { as: admin, query })).body.data;
  expect(acts).toMatchObject([
    { action: "tenant.read_audit", tenant_id: tenant.tenant_id },
    { action: "tenant.suspend", tenant_id: tenant.tenant_id, after: { suspended_reason: "Unpaid" } },
  ]);
});

test("no path but its own leads to the platform's audit trail", async () => {
  const as = { sub: randomUUID(), platform_role: "platform_admin" } as const;
  expect((await plane.call("GET", "/v1/tenants/platform/audit", { as })).status).toBe(404);
});

test("choosing a workspace is recorded once in its audit trail", async () => {
  const tenant = await plane.workspace("Chosen");
  const developer = await plane.developer(tenant.tenant_id);
  const path = `/v1/tenants/${tenant.tenant_id}/activate`;
  for (let time = 0; time < 2; time++) expect((await plane.call("POST", path, { as: developer })).status).toBe(200);
  const { data } = (await list({ action: "tenant.activate" }, tenant)).body;
  expect(data).toMatchObject([{ actor: developer.sub, after: { client_id: consoleClient } }]);
});
