// The life of a workspace after its creation: changes, suspension, deletion, and the calls that each status allows.
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import { directoryRecord } from "../../../../adapters/dynamodb/workspace/directory.record.ts";
import { ownedTenantsRecord } from "../../../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import { slugReservationRecord } from "../../../../adapters/dynamodb/workspace/slug-reservation.record.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { monthOf } from "../../../../domain/kernel/period.ts";
import { helperClaims, openControlPlane } from "../../../support/control-plane.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";
import { aMoment, memberCommand } from "../../../support/people/members.ts";

type Person = Partial<Claims>;
type Owner = Claims & { tenant_id: string };

const admin: Person = { sub: "root", platform_role: "platform_admin" };
let plane: Awaited<ReturnType<typeof openControlPlane>>;

beforeAll(async () => {
  plane = await openControlPlane(undefined, undefined, 5);
});
afterAll(() => plane.close());

const patch = (as: Person, id: string, body: unknown, headers = {}) =>
  plane.call("PATCH", `/v1/tenants/${id}`, { as, body, headers });
const get = (as: Person, path: string) => plane.call("GET", path, { as });
const post = (as: Person, path: string, body?: unknown) => plane.call("POST", path, { as, body });
const remove = (as: Person, id: string) => plane.call("DELETE", `/v1/tenants/${id}`, { as });
const suspend = (id: string, reason = "Unpaid invoices") => post(admin, `/v1/tenants/${id}/suspend`, { reason });

async function query(pk: string, IndexName?: string) {
  const { Items = [] } = await plane.document.send(
    new QueryCommand({
      TableName: tableName,
      ...(IndexName !== undefined && { IndexName }),
      KeyConditionExpression: `${IndexName === undefined ? "pk" : "gsi1_pk"} = :pk`,
      ExpressionAttributeValues: { ":pk": pk },
    }),
  );
  return Items;
}
const auditOf = (tenantId: string) => query(auditRecord.range({ trail: tenantId, at: monthOf(plane.clock()) }).pk);
const bySlug = async (slug: string) => (await plane.stores.tenants.getBySlug(slug))?.tenant_id;

test("a person whose workspace was deleted, or who left it, is told so", async () => {
  const owner = await plane.workspace("Given up");
  const developer = await plane.developer(owner.tenant_id);
  const leaver = await plane.developer(owner.tenant_id);
  await plane.call("DELETE", "/v1/users/me", { as: leaver });
  await remove(owner, owner.tenant_id);
  const answers = [];
  for (const as of [owner, developer, leaver, { sub: "nobody" }]) {
    const { status, body } = await plane.call("GET", "/v1/tenants/my", { as });
    answers.push([status, body.error.details.error_code, body.error.message]);
  }
  const deleted = 'Your workspace "Given up" (given-up) is deleted, create another one with POST /v1/tenants';
  expect(answers).toEqual([
    [404, "no_active_tenant", deleted],
    [404, "no_active_tenant", deleted],
    [404, "no_active_tenant", "You have no workspace any more, create one with POST /v1/tenants"],
    [404, "no_active_tenant", "You have no workspace yet, create one with POST /v1/tenants"],
  ]);
});

describe("PATCH /v1/tenants/{id}", () => {
  let owner: Owner;
  beforeAll(async () => {
    owner = await plane.workspace("Patched");
  });

  test("PATCH /v1/tenants/{id} accepts name, region and cap from the owner, and answers with the changed workspace", async () => {
    const changes = { name: "Patched Too", default_region: "us-east-1", monthly_cap_usd: 12.5 };
    const { status, body, headers } = await patch(owner, owner.tenant_id, changes);
    expect([status, headers.etag]).toEqual([200, '"1"']);
    expect(body).toMatchObject({
      ...changes,
      slug: "patched-too",
      proxy_url: "https://patched-too.proxy.example.com/vendor/v1",
    });
    expect((await get(owner, `/v1/tenants/${owner.tenant_id}`)).body).toEqual(body);
    const uncapped = await patch(owner, owner.tenant_id, { monthly_cap_usd: null });
    expect(uncapped.body).not.toHaveProperty("monthly_cap_usd");
  });

  test("PATCH /v1/tenants/{id} with a new name frees the old address, which then answers nothing", async () => {
    const mover = await plane.workspace("Old place");
    await patch(mover, mover.tenant_id, { name: "New place" });
    expect(await query(slugReservationRecord.key({ slug: "old-place" }).pk)).toEqual([]);
    expect(await query(slugReservationRecord.key({ slug: "new-place" }).pk)).toMatchObject([
      { tenant_id: mover.tenant_id },
    ]);
    expect([await bySlug("old-place"), await bySlug("new-place")]).toEqual([undefined, mover.tenant_id]);
    const next = await plane.workspace("Old place");
    expect(await bySlug("old-place")).toBe(next.tenant_id);
    // The same address under another name is no move.
    expect((await patch(mover, mover.tenant_id, { name: "NEW  Place!" })).body).toMatchObject({
      name: "NEW  Place!",
      slug: "new-place",
    });
    expect(await bySlug("new-place")).toBe(mover.tenant_id);
  });

  test("PATCH /v1/tenants/{id} is refused with 409 if another workspace has the address, and changes nothing", async () => {
    await plane.workspace("Held");
    const { status, body } = await patch(owner, owner.tenant_id, { name: "HELD", monthly_cap_usd: 1 });
    expect([status, body.error.message]).toEqual([409, expect.stringMatching(/^name: .*"held"/)]);
    expect((await get(owner, `/v1/tenants/${owner.tenant_id}`)).body).not.toHaveProperty("monthly_cap_usd");
  });

  test("only platform administrators may set a workspace's tier", async () => {
    const refused = await patch(owner, owner.tenant_id, { tier: "enterprise" });
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringMatching(/^tier: /)]);
    const set = await patch(admin, owner.tenant_id, { tier: "enterprise" });
    expect([set.status, set.body.tier]).toEqual([200, "enterprise"]);
  });

  test.each([
    [{}, /^body: must name a field/],
    [{ slug: "mine" }, /^slug: unknown field/],
    [{ owner_sub: "mallory" }, /^owner_sub: unknown field/],
    [{ status: "active" }, /^status: unknown field/],
    [{ has_payment_method: true }, /^has_payment_method: unknown field/],
    [{ version: 9 }, /^version: unknown field/],
    [{ name: null }, /^name: /],
    [{ name: "Admin" }, /^name: gives an address that is reserved/],
    [{ name: "<b>" }, /^name: /],
    [{ default_region: "mars-1" }, /^default_region: must be one of/],
    [{ monthly_cap_usd: "5" }, /^monthly_cap_usd: /],
    [{ monthly_cap_usd: -1 }, /^monthly_cap_usd: must be an amount in USD/],
    [{ monthly_cap_usd: 1e9 }, /^monthly_cap_usd: must be an amount in USD/],
  ])("PATCH /v1/tenants/{id} refuses %j and names the field", async (body, message) => {
    const refused = await patch(owner, owner.tenant_id, body);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(message)]);
  });

  test("PATCH /v1/tenants/{id} with If-Match applies only to that version", async () => {
    const mine = await plane.workspace("Versions");
    const at = (name: string, tag: string) => patch(mine, mine.tenant_id, { name }, { "if-match": tag });
    expect((await get(mine, `/v1/tenants/${mine.tenant_id}`)).headers.etag).toBe('"0"');
    expect((await at("Versions one", '"0"')).headers.etag).toBe('"1"');
    const late = await at("Versions late", '"0"');
    expect([late.status, late.body.error.details.error_code]).toEqual([412, "precondition_failed"]);
    expect((await at("Versions late", 'W/"1"')).status).toBe(412);
    expect((await at("Versions late", "1")).status).toBe(400);
    expect((await at("Versions two", '"7", "1"')).status).toBe(200);
    expect((await at("Versions three", "*")).body.version).toBe(3);
  });

  test("PATCH /v1/tenants/{id} answers 404 for another person's workspace, and refuses developers", async () => {
    const stranger = await plane.workspace("Stranger");
    const developer = await plane.developer(owner.tenant_id);
    for (const [as, status] of [
      [stranger, 404],
      [developer, 403],
    ] as const) {
      expect((await patch(as, owner.tenant_id, { name: "Mine now" })).status).toBe(status);
      expect((await get(as, `/v1/tenants/${owner.tenant_id}`)).status).toBe(status);
    }
  });

  test("simultaneous PATCH /v1/tenants/{id} of many workspaces to one address give the address to one of them", async () => {
    const owners = await Promise.all(Array.from({ length: 50 }, (_, n) => plane.workspace(`Racer ${n}`)));
    const replies = await Promise.all(owners.map((as) => patch(as, as.tenant_id, { name: "Goal" })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status !== 200 && status !== 409 && status !== 503)).toEqual([]);
    const winner = replies.find(({ status }) => status === 200)?.body.tenant_id;
    expect(await query(slugReservationRecord.key({ slug: "goal" }).pk)).toMatchObject([{ tenant_id: winner }]);
    expect(
      (await query(tenantRecord.indexKey({ slug: "goal" }).gsi1_pk, "gsi1")).map(({ tenant_id }) => tenant_id),
    ).toEqual([winner]);
    for (const [n, { tenant_id }] of owners.entries()) {
      const holders = await query(slugReservationRecord.key({ slug: `racer-${n}` }).pk);
      expect(holders.map((row) => row.tenant_id)).toEqual(tenant_id === winner ? [] : [tenant_id]);
    }
  });

  test("simultaneous PATCH /v1/tenants/{id} of one workspace lose no change", async () => {
    const mine = await plane.workspace("Busy");
    const replies = await Promise.all([
      patch(mine, mine.tenant_id, { default_region: "us-east-1" }),
      patch(mine, mine.tenant_id, { monthly_cap_usd: 7 }),
      patch(admin, mine.tenant_id, { tier: "pro" }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { body } = await get(mine, `/v1/tenants/${mine.tenant_id}`);
    expect(body).toMatchObject({ default_region: "us-east-1", monthly_cap_usd: 7, tier: "pro", version: 3 });
    expect(await auditOf(mine.tenant_id)).toHaveLength(4);
  });
});

describe("GET /v1/tenants", () => {
  test("GET /v1/tenants lists the caller's workspaces in pages, with role and status", async () => {
    const first = await plane.workspace("List one", "lister");
    const second = await plane.workspace("List two", "lister");
    const third = await plane.workspace("List three");
    await plane.developer(third.tenant_id, "lister");
    await remove(second, second.tenant_id);
    await suspend(third.tenant_id);
    const seen = [];
    let cursor: string | undefined;
    do {
      const page = await plane.call("GET", "/v1/tenants", {
        as: first,
        query: { limit: "1", ...(cursor !== undefined && { cursor }) },
      });
      seen.push(...page.body.data);
      cursor = page.body.next_cursor;
    } while (cursor !== undefined);
    const told = seen.map(({ name, status, tenant_role }) => [name, status, tenant_role]);
    expect(told.toSorted()).toEqual([
      ["List one", "active", "owner"],
      ["List three", "suspended", "developer"],
      ["List two", "deleted", "owner"],
    ]);
    // The reason is for the owner.
    expect(JSON.stringify(seen)).not.toContain("Unpaid");
  });
});

describe("POST /v1/tenants/{id}/activate", () => {
  test("POST /v1/tenants/{id}/activate makes a workspace the active one for this app client, only for members", async () => {
    const one = await plane.workspace("Active one", "switcher");
    const two = await plane.workspace("Active two", "switcher");
    expect((await get(one, "/v1/tenants/my")).body.name).toBe("Active two");
    expect(await post(two, `/v1/tenants/${one.tenant_id}/activate`)).toMatchObject({ status: 200 });
    expect((await get(one, "/v1/tenants/my")).body.name).toBe("Active one");
    expect((await get({ ...one, ...helperClaims }, "/v1/tenants/my")).body.name).toBe("Active two");
    const stranger = await plane.workspace("Active stranger");
    expect((await post(stranger, `/v1/tenants/${one.tenant_id}/activate`)).status).toBe(404);
    expect((await post(stranger, "/v1/tenants/none/activate")).status).toBe(404);
  });
});

describe("a suspended workspace", () => {
  let owner: Owner;
  let developer: Owner;
  beforeAll(async () => {
    owner = await plane.workspace("Stopped");
    developer = await plane.developer(owner.tenant_id);
    expect((await suspend(owner.tenant_id)).status).toBe(200);
  });

  test("only a platform admin can suspend a workspace, with a reason", async () => {
    for (const as of [owner, developer]) {
      expect((await post(as, `/v1/tenants/${owner.tenant_id}/suspend`, { reason: "x" })).status).toBe(403);
      expect((await post(as, `/v1/tenants/${owner.tenant_id}/resume`)).status).toBe(403);
    }
    expect((await suspend(owner.tenant_id, "")).body.error.message).toMatch(/^reason: /);
    expect((await post(admin, `/v1/tenants/${owner.tenant_id}/suspend`, {})).status).toBe(400);
    expect((await suspend("none")).status).toBe(404);
  });

  test("a suspended workspace can be read, and its owner sees the reason", async () => {
    const { status, body } = await get(owner, `/v1/tenants/${owner.tenant_id}`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: "suspended", suspended_reason: "Unpaid invoices" }),
    ]);
    for (const as of [owner, developer]) {
      for (const path of ["/v1/grants", "/v1/keys", "/v1/me", "/v1/tenants"])
        expect((await get(as, path)).status).toBe(200);
    }
  });

  test("a suspended workspace is not the active one, and the refusal names it", async () => {
    const answer = await get(owner, "/v1/tenants/my");
    expect([answer.status, answer.body.error.details]).toEqual([
      403,
      { error_code: "tenant_suspended", tenant_id: owner.tenant_id },
    ]);
    expect(answer.body.error.message).toBe('Your workspace "Stopped" (stopped) is suspended: Unpaid invoices');
    expect((await get(developer, "/v1/tenants/my")).body.error.message).toBe(
      'Your workspace "Stopped" (stopped) is suspended',
    );
  });

  test("a suspended workspace is replaced by another as the active workspace, until it is resumed", async () => {
    const other = await plane.workspace("Elsewhere");
    await plane.document.send(
      memberCommand({ sub: owner.sub, tenant_id: other.tenant_id, status: "active", invited_at: aMoment }),
    );
    expect(await get(owner, "/v1/tenants/my")).toMatchObject({ status: 200, body: { tenant_id: other.tenant_id } });
    await plane.document.send(
      memberCommand({ sub: owner.sub, tenant_id: other.tenant_id, status: "removed", invited_at: aMoment }),
    );
  });

  test("a suspended workspace lets its owner revoke access and lower grants, and lets a developer leave", async () => {
    const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 5 };
    const stopped = await plane.workspace("Stopped too");
    const [leaving, removed, kept] = [
      await plane.developer(stopped.tenant_id),
      await plane.developer(stopped.tenant_id),
      await plane.developer(stopped.tenant_id),
    ];
    const grant = (body: object) => plane.call("PUT", `/v1/grants/${kept.sub}`, { as: stopped, body });
    expect((await grant(limits)).status).toBe(200);
    const key = await plane.call("POST", "/v1/keys", { as: stopped, body: { name: "CI" } });
    expect((await suspend(stopped.tenant_id)).status).toBe(200);
    plane.db.clock.advance(60_000);

    const raised = await grant({ ...limits, monthly_budget_usd: 6 });
    expect([raised.status, raised.body.error.message]).toEqual([
      403,
      "The workspace is suspended: until it is resumed a grant can only be lowered",
    ]);
    expect((await grant({ ...limits, monthly_budget_usd: 4 })).status).toBe(200);
    const statuses = await Promise.all([
      plane.call("DELETE", `/v1/keys/${key.body.key_id}`, { as: stopped }),
      plane.call("DELETE", "/v1/users/me", { as: leaving }),
      plane.call("DELETE", `/v1/users/${removed.sub}`, { as: stopped }),
      plane.call("DELETE", `/v1/grants/${kept.sub}`, { as: stopped }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
  });

  test("a suspended workspace cannot be changed until it is resumed, except to revoke access", async () => {
    const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };
    const changes = () =>
      Promise.all([
        patch(owner, owner.tenant_id, { default_region: "us-east-1" }),
        plane.call("PUT", `/v1/grants/${developer.sub}`, { as: owner, body: limits }),
        plane.call("POST", "/v1/keys", { as: owner, body: { name: "CI" } }),
      ]);
    for (const { status, body } of await changes()) {
      expect([status, body.error.details.error_code]).toEqual([403, "tenant_suspended"]);
    }
    expect((await patch(admin, owner.tenant_id, { tier: "pro" })).status).toBe(200);
    const { status, body } = await post(admin, `/v1/tenants/${owner.tenant_id}/resume`);
    expect([status, body.status]).toEqual([200, "active"]);
    expect(body).not.toHaveProperty("suspended_reason");
    plane.db.clock.advance(60_000);
    expect((await changes()).map((answer) => answer.status)).toEqual([200, 200, 201]);
    expect((await get(owner, "/v1/tenants/my")).status).toBe(200);
  });

  test("a suspension is recorded in the audit trail, with the person who made it", async () => {
    const entries = await auditOf(owner.tenant_id);
    expect(entries.map(({ actor, action }) => [actor, action])).toEqual(
      expect.arrayContaining([
        [owner.sub, "tenant.create"],
        ["root", "tenant.suspend"],
        ["root", "tenant.resume"],
      ]),
    );
    expect(entries.find(({ action }) => action === "tenant.suspend")).toMatchObject({
      before: { status: "active" },
      after: { status: "suspended", suspended_reason: "Unpaid invoices" },
    });
  });

  test("a suspended workspace can be deleted", async () => {
    const stopped = await plane.workspace("Stopped for good");
    await suspend(stopped.tenant_id);
    expect((await remove(stopped, stopped.tenant_id)).status).toBe(204);
  });
});

describe("DELETE /v1/tenants/{id}", () => {
  test("DELETE /v1/tenants/{id} is only for the owner, keeps the address reserved, and can be repeated", async () => {
    const owner = await plane.workspace("Deleted");
    const developer = await plane.developer(owner.tenant_id);
    expect((await remove(developer, owner.tenant_id)).status).toBe(403);
    expect((await remove(admin, owner.tenant_id)).status).toBe(404);
    expect((await remove(owner, owner.tenant_id)).status).toBe(204);
    const deleted = await plane.stores.tenants.get(owner.tenant_id);
    expect(deleted).toMatchObject({ status: "deleted", deleted_at: expect.stringMatching(/Z$/), version: 1 });
    expect((await remove(owner, owner.tenant_id)).status).toBe(204);
    expect(await plane.stores.tenants.get(owner.tenant_id)).toEqual(deleted);
    const again = await post({ sub: "other" }, "/v1/tenants", { name: "Deleted" });
    expect(again.status).toBe(409);
    const rows = await query(directoryRecord.indexKey({ status: "deleted", since: "", tenant_id: "" }).gsi1_pk, "gsi1");
    expect(rows.map(({ pk }) => pk)).toContain(directoryRecord.key({ tenant_id: owner.tenant_id }).pk);
  });

  test("DELETE /v1/tenants/{id} sends the owner one mail, with the day of the purge", async () => {
    const owner = await plane.workspace("Told");
    const profile = {
      sub: owner.sub,
      email: "owner@told.example",
      approval_status: "approved" as const,
      provider: "password",
      email_verified: true,
      created_at: "",
    };
    await plane.stores.users.putProfile(profile);
    for (const _ of ["deleted", "deleted again"]) await remove(owner, owner.tenant_id);
    const mails = plane.mails.filter(({ to }) => to === "owner@told.example");
    expect(mails.map(({ subject }) => subject)).toEqual(["The workspace is deleted (told)"]);
    const purgedAt = new Date(plane.clock() + 14 * 86_400_000);
    expect(mails[0]?.text).toContain(`purged after ${purgedAt.getUTCDate()} `);
  });

  test("DELETE /v1/tenants/{id} ends everybody's access within a minute, while platform staff can still see the workspace", async () => {
    const owner = await plane.workspace("Gone");
    const developer = await plane.developer(owner.tenant_id);
    expect((await get(developer, "/v1/grants")).status).toBe(200);
    await remove(owner, owner.tenant_id);
    plane.db.clock.advance(60_000);
    for (const as of [owner, developer]) {
      const answer = await get(as, "/v1/grants");
      expect([answer.status, answer.body.error.details.error_code]).toEqual([403, "tenant_suspended"]);
      expect((await get(as, "/v1/tenants/my")).status).toBe(404);
      expect((await post(as, `/v1/tenants/${owner.tenant_id}/activate`)).status).toBe(403);
    }
    expect((await get(owner, `/v1/tenants/${owner.tenant_id}`)).status).toBe(403);
    expect((await patch(owner, owner.tenant_id, { name: "Back" })).status).toBe(403);
    expect((await get(admin, `/v1/tenants/${owner.tenant_id}`)).body.status).toBe("deleted");
    expect((await suspend(owner.tenant_id)).status).toBe(409);
    expect((await post(admin, `/v1/tenants/${owner.tenant_id}/resume`)).status).toBe(409);
  });
});

describe("the number of workspaces of an owner", () => {
  test("the number of an owner's workspaces, including deleted ones, has an exact limit, even with simultaneous requests", async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => post({ sub: "bounded" }, "/v1/tenants", { name: `Bounded ${n}` })),
    );
    const created = replies.filter(({ status }) => status === 201);
    expect(created.length).toBeLessThanOrEqual(5);
    for (let n = created.length; n < 5; n++) {
      expect((await post({ sub: "bounded" }, "/v1/tenants", { name: `Bounded later ${n}` })).status).toBe(201);
    }
    const full = await post({ sub: "bounded" }, "/v1/tenants", { name: "Bounded last" });
    expect([full.status, full.body.error.message]).toEqual([409, expect.stringContaining("You own 5 workspaces")]);
    await remove({ sub: "bounded" }, created[0]?.body.tenant_id);
    expect((await post({ sub: "bounded" }, "/v1/tenants", { name: "Bounded last" })).status).toBe(409);
    expect(await query(ownedTenantsRecord.key({ owner_sub: "bounded" }).pk)).toMatchObject([{ owned: 5 }]);
    expect(await query(slugReservationRecord.key({ slug: "bounded-last" }).pk)).toEqual([]);
  });
});

describe("a platform admin's search", () => {
  const search = (query: Record<string, string>, as: Person = admin) => plane.call("GET", "/v1/tenants", { as, query });
  const slugs = ({ body }: Awaited<ReturnType<typeof search>>) => body.data.map(({ slug }: { slug: string }) => slug);

  test("a platform admin's search finds tenants by address, by the owner's e-mail address and by status", async () => {
    const owner = await plane.workspace("Sought", "sought");
    await plane.workspace("Sought too", "sought");
    const guest = await plane.workspace("Not theirs");
    await plane.developer(guest.tenant_id, "sought");
    const profile = {
      sub: "sought",
      email: "Sought@Find.example",
      approval_status: "approved",
      provider: "password",
      email_verified: true,
      created_at: "2026-11-21T05:00:00.000Z",
    } as const;
    await plane.stores.users.putProfile(profile);
    await suspend(owner.tenant_id);
    expect(slugs(await search({ slug: "sought" }))).toEqual(["sought"]);
    expect(slugs(await search({ slug: "nowhere" }))).toEqual([]);
    expect(slugs(await search({ email: "sought@find.example" })).toSorted()).toEqual(["sought", "sought-too"]);
    expect(slugs(await search({ status: "suspended" }))).toContain("sought");
    expect(slugs(await search({ status: "active" }))).not.toContain("sought");
  });

  test("a platform admin's search by status goes by pages, each tenant once", async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await search({ status: "active", limit: "7", ...(cursor !== undefined && { cursor }) });
      found.push(...slugs(page));
      cursor = page.body.next_cursor;
    } while (cursor !== undefined);
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(["sought-too", "goal"]));
  });

  test("a platform admin's search is refused to other callers, and accepts one filter", async () => {
    const owner = await plane.workspace("Curious");
    for (const query of [{ slug: "sought" }, { status: "active" }, { email: "a@b.example" }] as Record<
      string,
      string
    >[]) {
      expect((await search(query, owner)).status).toBe(403);
    }
    expect((await search({ slug: "sought", status: "active" })).status).toBe(400);
    expect((await search({ status: "gone" })).body.error.message).toMatch(/^status: must be one of/);
  });
});
