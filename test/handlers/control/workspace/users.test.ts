import { randomUUID } from "node:crypto";
import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import type { Mail } from "../../../../domain/kernel/mail.ts";
import { monthOf } from "../../../../domain/kernel/period.ts";
import type { AccountState, Accounts, SignIns } from "../../../../domain/people/accounts.ts";
import { syncUserOnSignIn } from "../../../../domain/people/sign-in.ts";
import { platformTrail } from "../../../../domain/workspace/audit.ts";
import { type Call, openControlPlane } from "../../../support/control-plane.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";
import { memberCommand } from "../../../support/people/members.ts";

const admin = { sub: "root", platform_role: "platform_admin" } as const;
let plane: Awaited<ReturnType<typeof openControlPlane>>;
let pool: Pool;
beforeAll(async () => {
  pool = new Pool();
  plane = await openControlPlane(({ idempotency: { reserve, answer } }) => ({
    accounts: pool,
    mailer,
    idempotency: { reserve, answer: async (...kept) => (keepsAnswers ? answer(...kept) : undefined) },
  }));
});
afterAll(() => plane.close());

/** The identity provider, as far as invitations see it. */
class Pool implements Accounts, SignIns {
  readonly people = new Map<string, { sub: string; state: Exclude<AccountState, "created"> }>();
  readonly mailed: string[] = [];

  async invite(email: string) {
    const known = this.people.get(email);
    if (known) return known;
    const sub = randomUUID();
    this.people.set(email, { sub, state: "invited" });
    this.mailed.push(email);
    return { sub, state: "created" as const };
  }

  async endSignIns() {}

  async resend(email: string) {
    if (this.people.get(email)?.state !== "invited") return false;
    this.mailed.push(email);
    return true;
  }

  /** Somebody who has signed in, alone or with the password that was mailed. */
  async comes(email: string): Promise<string> {
    const sub = this.people.get(email)?.sub ?? randomUUID();
    this.people.set(email, { sub, state: "active" });
    await syncUserOnSignIn(
      plane.stores.users,
      { sub, email, isVerified: true, provider: "password", linked: [], isApproved: false },
      plane.clock(),
      randomUUID,
    );
    return sub;
  }
}

/** False cuts a call off before its answer is kept. */
let keepsAnswers = true;
const ours: Mail[] = [];
const mailer = {
  async send(mail: Mail) {
    ours.push(mail);
    return "sent" as const;
  },
};

const signIn = (sub: string, email = `${sub}@people.example`) =>
  syncUserOnSignIn(
    plane.stores.users,
    { sub, email, isVerified: true, provider: "password", linked: [], isApproved: false },
    plane.clock(),
    randomUUID,
  );
const approve = (sub: string, as: object = admin) => plane.call("POST", `/v1/users/${sub}/approve`, { as });

async function pending(): Promise<string[]> {
  const subs: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: "2", ...(cursor !== undefined && { cursor }) };
    const { body } = await plane.call("GET", "/v1/users/pending", { as: admin, query });
    subs.push(...body.data.map(({ user_id }: { user_id: string }) => user_id));
    cursor = body.next_cursor;
  } while (cursor !== undefined);
  return subs.toSorted();
}

test("a person who signed up without an invitation is pending until a platform admin approves, which the platform's audit trail records", async () => {
  for (const sub of ["p1", "p2", "p3"]) await signIn(sub);
  expect(await pending()).toEqual(["p1", "p2", "p3"]);
  const { status, body } = await approve("p2");
  expect([status, body]).toEqual([200, expect.objectContaining({ user_id: "p2", approval_status: "approved" })]);
  expect(ours.at(-1)).toMatchObject({ to: "p2@people.example", subject: "Your account at Archway is approved" });
  expect((await approve("p2")).status).toBe(200);
  expect(await pending()).toEqual(["p1", "p3"]);
  const { Items } = await plane.document.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": auditRecord.range({ trail: platformTrail, at: monthOf(plane.clock()) }).pk },
    }),
  );
  expect(Items?.filter(({ action }) => action !== "user.sign_up")).toMatchObject([
    {
      actor: "root",
      actor_role: "platform_admin",
      action: "user.approve",
      target: "p2",
      before: { approval_status: "pending" },
      after: { approval_status: "approved" },
    },
  ]);
});

test("the list of people who wait for approval shows each person's provider, and whether the address is verified", async () => {
  const stranger = { sub: "stranger", email: "s@people.example", isVerified: false, provider: "Google", linked: [] };
  await syncUserOnSignIn(plane.stores.users, { ...stranger, isApproved: false }, plane.clock(), randomUUID);
  const { body } = await plane.call("GET", "/v1/users/pending", { as: admin });
  const shown = Object.fromEntries(body.data.map((person: { user_id: string }) => [person.user_id, person]));
  expect(shown.stranger).toMatchObject({ provider: "Google", email_verified: false });
  expect(shown.p1).toMatchObject({ provider: "password", email_verified: true });
});

test("an approved person whose e-mail address changes stays approved, and is not listed again", async () => {
  await signIn("mover");
  await approve("mover");
  await signIn("mover", "new@people.example");
  expect((await plane.stores.users.record("mover")).profile).toMatchObject({
    email: "new@people.example",
    approval_status: "approved",
  });
  expect(await pending()).not.toContain("mover");
});

test("only platform admins list and approve waiting people, and an unknown person cannot be approved", async () => {
  const owner = await plane.workspace("People");
  expect((await approve("p1", owner)).status).toBe(403);
  expect((await plane.call("GET", "/v1/users/pending", { as: owner })).status).toBe(403);
  expect((await approve("nobody")).status).toBe(404);
});

type Owner = Awaited<ReturnType<(typeof plane)["workspace"]>>;

const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 5 };
const tenMinutes = 600_000;

const invite = (as: Owner, email: unknown, call: Call = {}) =>
  plane.call("POST", "/v1/users/invite", { as, body: { email }, ...call });
const resend = (as: Owner, id: string) => plane.call("POST", `/v1/users/${id}/resend`, { as });
const remove = (as: Partial<Owner>, id: string) => plane.call("DELETE", `/v1/users/${id}`, { as });
const list = async (as: Owner, query = {}) => (await plane.call("GET", "/v1/users", { as, query })).body.data;
const give = (as: Owner, id: string) => plane.call("PUT", `/v1/grants/${id}`, { as, body: grant });
const asMember = (sub: string, { tenant_id }: Owner) => ({ sub, tenant_id });
const answer = (sub: string, { tenant_id }: Owner, how: string) =>
  plane.call("POST", `/v1/me/invitations/${tenant_id}/${how}`, { as: { sub } });
const accept = (sub: string, owner: Owner) => answer(sub, owner, "accept");
const decline = (sub: string, owner: Owner) => answer(sub, owner, "decline");
const standing = (sub: string, { tenant_id }: Owner) => plane.stores.users.membership(sub, tenant_id);

/** Oldest first. */
async function audited({ tenant_id }: Owner) {
  const page = { limit: 100, after: undefined };
  const { items } = await plane.stores.audit.list(tenant_id, {}, page, plane.clock());
  return items.filter(({ action }) => action.startsWith("user.")).toReversed();
}

async function suspend({ tenant_id }: Owner, status = "suspended") {
  await plane.document.send(
    new UpdateCommand({
      TableName: tableName,
      Key: tenantRecord.key({ tenant_id }),
      UpdateExpression: "SET #status = :status",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":status": status },
    }),
  );
}

describe("inviting", () => {
  let owner: Owner;
  beforeAll(async () => {
    owner = await plane.workspace("Inviting");
    await pool.comes("owner@inviting.example");
    await syncUserOnSignIn(
      plane.stores.users,
      {
        sub: owner.sub,
        email: "Owner@inviting.example",
        isVerified: true,
        provider: "password",
        linked: [],
        isApproved: false,
      },
      plane.clock(),
      randomUUID,
    );
    pool.people.set("owner@inviting.example", { sub: owner.sub, state: "active" });
  });

  test("inviting an unknown person creates an account with its mail, an invited membership and an audit entry, and no grant", async () => {
    const { status, body, headers } = await invite(owner, "Stranger@People.Example");
    const { user_id } = body;
    expect(status).toBe(201);
    expect(headers.location).toBe(`/v1/users/${user_id}`);
    expect(body).toEqual({
      user_id: pool.people.get("stranger@people.example")?.sub,
      email: "stranger@people.example",
      tenant_role: "developer",
      invited_at: expect.any(String),
      mail: "sent",
    });
    expect(pool.mailed.filter((email) => email === "stranger@people.example")).toHaveLength(1);
    expect((await standing(user_id, owner))?.status).toBeUndefined();
    expect((await audited(owner)).at(-1)).toMatchObject({
      actor: owner.sub,
      action: "user.invite",
      target: user_id,
      after: { email: "stranger@people.example", tenant_role: "developer" },
    });
    expect((await list(owner)).find((one: { user_id: string }) => one.user_id === user_id)).toMatchObject({
      email: "stranger@people.example",
      has_grant: false,
    });
    await pool.comes("stranger@people.example");
    expect(await standing(user_id, owner)).toMatchObject({ status: "active" });
    expect((await plane.stores.users.record(user_id)).profile).toMatchObject({ approval_status: "approved" });
  });

  test("inviting a person with an account creates an invitation that needs an answer, and sends the platform's own mail", async () => {
    const sub = await pool.comes("known@people.example");
    const { status, body } = await invite(owner, "known@people.example");
    expect([status, body.user_id, body.mail]).toEqual([201, sub, "sent"]);
    expect(pool.mailed).not.toContain("known@people.example");
    const mail = ours.at(-1);
    expect(mail).toMatchObject({ to: "known@people.example", subject: "You are invited to Inviting on Archway" });
    expect(mail?.text).toMatch(/^Owner@inviting.example invites you to the workspace Inviting \(inviting\)/);
    await pool.comes("known@people.example");
    expect((await standing(sub, owner))?.status).toBeUndefined();
    expect(await accept(sub, owner)).toMatchObject({
      status: 200,
      body: { tenant_id: owner.tenant_id, status: "active", tenant_slug: "inviting", tenant_role: "developer" },
    });
    expect((await accept(sub, owner)).body).not.toHaveProperty("password_mailed");
    expect(await decline(sub, owner)).toMatchObject({
      status: 409,
      body: { error: { message: "id: you belong to the workspace; leave it with DELETE /v1/users/me" } },
    });
  });

  test("inviting a person whom another workspace has invited keeps that password, and the person is asked which workspace to join", async () => {
    const other = await plane.workspace("Inviting too");
    const first = await invite(owner, "wanted@people.example");
    const second = await invite(other, "wanted@people.example");
    expect([second.status, second.body]).toEqual([201, { ...first.body, invited_at: expect.any(String) }]);
    expect(pool.mailed.filter((email) => email === "wanted@people.example")).toHaveLength(1);
    expect(ours.at(-1)?.text).toContain("the temporary password of your account is in its mail");
    const sub = await pool.comes("wanted@people.example");
    const { body: me } = await plane.call("GET", "/v1/me", { as: { sub } });
    const shown = me.memberships.map((one: Record<string, unknown>) => [
      ...[one.tenant_slug, one.tenant_role, one.status, one.invited_by],
    ]);
    expect(shown.toSorted()).toEqual([
      ["inviting", "developer", undefined, "Owner@inviting.example"],
      ["inviting-too", "developer", undefined, undefined],
    ]);
    expect((await plane.call("GET", "/v1/tenants/my", { as: { sub } })).body.error.message).toContain(
      "POST /v1/me/invitations/{id}/accept",
    );
    await give(other, sub);
    expect([(await accept(sub, owner)).status, (await decline(sub, other)).status]).toEqual([200, 204]);
    expect((await decline(sub, other)).status).toBe(204);
    expect([await standing(sub, owner), await standing(sub, other)]).toMatchObject([
      { status: "active" },
      { status: "removed" },
    ]);
    expect(await plane.stores.grants.get(other.tenant_id, sub)).toBeUndefined();
    expect((await accept(sub, other)).status).toBe(404);
    expect((await audited(other)).map(({ action, actor }) => [action, actor])).toEqual([
      ["user.invite", other.sub],
      ["user.decline", sub],
    ]);
  });

  test("inviting a person happens once for an Idempotency-Key, even if the first attempt was interrupted after the membership", async () => {
    const headers = { "idempotency-key": "invite-1" };
    const first = await invite(owner, "once@people.example", { headers });
    expect(await invite(owner, "once@people.example", { headers })).toMatchObject({ status: 201, body: first.body });
    expect(pool.mailed.filter((email) => email === "once@people.example")).toHaveLength(1);
    expect((await invite(owner, "other@people.example", { headers })).status).toBe(409);

    keepsAnswers = false;
    const again = () => invite(owner, "cut@people.example", { headers: { "idempotency-key": "invite-2" } });
    const cutOff = await again();
    const repeat = await again();
    keepsAnswers = true;
    expect([cutOff.status, repeat.status, repeat.body]).toEqual([201, 201, cutOff.body]);
  });

  test("inviting people is limited to a number of mails a day, whatever is removed or sent again", async () => {
    const eager = await plane.workspace("Eager");
    const asked = Array.from({ length: 25 }, (_, number) => invite(eager, `e${number}@people.example`));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    const [first] = (await list(eager)).filter(({ status }: { status?: string }) => status === undefined);
    await remove(eager, first.user_id);
    const { status, body } = await invite(eager, "more@people.example");
    expect([status, body.error.message]).toEqual([
      409,
      "The workspace has asked for 20 invitations today, which is the most; the next ones go out after midnight UTC",
    ]);
    expect(pool.people.has("more@people.example")).toBe(false);
    plane.db.clock.advance(86_400_000);
    expect((await invite(eager, "more@people.example")).status).toBe(201);
  });

  test("inviting a person is allowed only for the owner of an active workspace", async () => {
    const closing = await plane.workspace("Closing");
    const developer = await plane.developer(closing.tenant_id);
    expect((await invite(developer, "x@people.example")).status).toBe(403);
    await suspend(closing);
    // Within the minute in which the handler remembers the workspace as active.
    expect(await invite(closing, "x@people.example")).toMatchObject({
      status: 403,
      body: { error: { type: "tenant_suspended" } },
    });
    expect(pool.people.has("x@people.example")).toBe(false);
  });

  test("inviting a person refuses an unknown field", async () => {
    const body = { email: "a@people.example", tenant_role: "owner" };
    expect((await plane.call("POST", "/v1/users/invite", { as: owner, body })).body.error.details.fields).toEqual([
      { path: "tenant_role", message: "unknown field, allowed: email" },
    ]);
  });
});

describe("mailing an invitation again", () => {
  test("mailing an invitation again before the first sign-in is done by the identity provider, at most every ten minutes", async () => {
    const owner = await plane.workspace("Resending");
    const { user_id } = (await invite(owner, "again@people.example")).body;
    const early = await resend(owner, user_id);
    expect([early.status, early.body.error.details.error_code, early.headers["retry-after"]]).toEqual([
      429,
      "rate_limited",
      "600",
    ]);
    plane.db.clock.advance(tenMinutes);
    const many = await Promise.all([1, 2, 3].map(() => resend(owner, user_id)));
    expect(many.map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
    expect(pool.mailed.filter((email) => email === "again@people.example")).toHaveLength(2);
    expect((await audited(owner)).map(({ action }) => action)).toEqual(["user.invite", "user.resend"]);
  });
});

describe("the list", () => {
  test("the list of a workspace's people shows each person's role, grant, spending, and last use of a key", async () => {
    const owner = await plane.workspace("Listing");
    await pool.comes("dev@listing.example");
    const { user_id } = (await invite(owner, "dev@listing.example")).body;
    await accept(user_id, owner);
    await give(owner, user_id);
    const { body: key } = await plane.call("POST", "/v1/keys", {
      as: asMember(user_id, owner),
      body: { name: "Laptop" },
    });
    const other = await plane.call("POST", "/v1/keys", { as: asMember(user_id, owner), body: { name: "Desk" } });
    await plane.stores.lastUses.put(key.key_id, Date.parse("2026-11-20T00:00:00.000Z"));
    await plane.stores.lastUses.put(other.body.key_id, Date.parse("2026-11-21T00:00:00.000Z"));
    const people = await list(owner);
    expect(people.find((one: { user_id: string }) => one.user_id === user_id)).toEqual({
      user_id,
      email: "dev@listing.example",
      tenant_role: "developer",
      status: "active",
      created_at: expect.any(String),
      invited_at: expect.any(String),
      activated_at: expect.any(String),
      has_grant: true,
      last_used_at: "2026-11-21T00:00:00.000Z",
      month: expect.any(String),
      spent_usd: 0,
      reserved_usd: 0,
      limit_usd: 5,
      left_usd: 5,
      resets_at: expect.any(String),
    });
    expect(people.find((one: { user_id: string }) => one.user_id === owner.sub)).toMatchObject({
      tenant_role: "owner",
      status: "active",
      has_grant: false,
    });
  });

  test("the list of a workspace's people has every person once over all pages, and can be filtered by status", async () => {
    const owner = await plane.workspace("Paging");
    const subs = [owner.sub];
    for (let number = 0; number < 5; number++) subs.push((await plane.developer(owner.tenant_id)).sub);
    await remove(owner, subs[3] ?? "");
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: "2", ...(cursor !== undefined && { cursor }) };
      const { body } = await plane.call("GET", "/v1/users", { as: owner, query });
      found.push(...body.data.map(({ user_id }: { user_id: string }) => user_id));
      cursor = body.next_cursor;
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(subs.toSorted());
    expect(await list(owner, { status: "removed" })).toMatchObject([{ user_id: subs[3], status: "removed" }]);
    expect(await list(owner, { status: "active", limit: "5" })).toHaveLength(5);
    expect((await plane.call("GET", "/v1/users", { as: owner, query: { status: "invited" } })).status).toBe(400);
    expect((await plane.call("GET", "/v1/users", { as: owner, query: { cursor: "x" } })).status).toBe(400);
  });

  test("the list of a workspace's people as CSV has a line for each person, with spent and remaining budget", async () => {
    const owner = await plane.workspace("People in a file");
    const developer = await plane.developer(owner.tenant_id);
    const { body, headers } = await plane.call("GET", "/v1/users", { as: owner, query: { format: "csv" } });
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    const [head, ...lines] = body.trimEnd().split("\r\n");
    expect(head).toMatch(/^user_id,.*email,.*spent_usd,.*left_usd/);
    expect(lines.map((line: string) => line.split(",")[0]).toSorted()).toEqual([owner.sub, developer.sub].toSorted());
  });

  test("the list of a workspace's people can be read only by the owner, and has no person of another workspace", async () => {
    const owner = await plane.workspace("Own people");
    await plane.developer((await plane.workspace("Other people")).tenant_id);
    expect(await list(owner)).toHaveLength(1);
    const developer = await plane.developer(owner.tenant_id);
    expect((await plane.call("GET", "/v1/users", { as: developer })).status).toBe(403);
  });
});

describe("removing", () => {
  async function aDeveloper(owner: Owner) {
    const developer = await plane.developer(owner.tenant_id);
    await give(owner, developer.sub);
    const { body } = await plane.call("POST", "/v1/keys", { as: developer, body: { name: "Laptop" } });
    return { ...developer, key_id: body.key_id as string };
  }

  test("removing a person removes grant and keys in the same transaction, is audited, and changes no other workspace", async () => {
    const [owner, other] = [await plane.workspace("Removing"), await plane.workspace("Not removing")];
    const developer = await aDeveloper(owner);
    await plane.document.send(memberCommand({ sub: developer.sub, tenant_id: other.tenant_id, status: "active" }));
    await give(other, developer.sub);
    expect((await remove(owner, developer.sub)).status).toBe(204);
    expect(await standing(developer.sub, owner)).toMatchObject({ status: "removed", removed_at: expect.any(String) });
    expect(await plane.stores.grants.get(owner.tenant_id, developer.sub)).toBeUndefined();
    expect(await plane.stores.apiKeys.get(developer.key_id)).toMatchObject({ status: "revoked" });
    expect(await standing(developer.sub, other)).toMatchObject({ status: "active" });
    expect(await plane.stores.grants.get(other.tenant_id, developer.sub)).toBeDefined();
    expect((await audited(owner)).at(-1)).toMatchObject({
      actor: owner.sub,
      action: "user.remove",
      target: developer.sub,
      before: { status: "active", grant: { monthly_budget_usd: 5 }, active_keys: [developer.key_id] },
      after: { status: "removed" },
    });
  });

  test("removing the owner is refused", async () => {
    const owner = await plane.workspace("Staying");
    for (const id of ["me", owner.sub]) {
      const { status, body } = await remove(owner, id);
      expect([status, body.error.message]).toEqual([409, expect.stringMatching(/^user_id: the owner cannot leave/)]);
    }
    expect(await standing(owner.sub, owner)).toMatchObject({ status: "active" });
  });

  test("a developer can remove only themselves", async () => {
    const owner = await plane.workspace("Leaving");
    const [leaver, stayer] = [await aDeveloper(owner), await aDeveloper(owner)];
    expect((await remove(leaver, stayer.sub)).status).toBe(403);
    expect((await remove(leaver, owner.sub)).status).toBe(403);
    expect((await remove(leaver, "me")).status).toBe(204);
    expect(await plane.stores.apiKeys.get(leaver.key_id)).toMatchObject({ status: "revoked" });
    expect((await audited(owner)).at(-1)).toMatchObject({ actor: leaver.sub, target: leaver.sub });
    plane.db.clock.advance(60_000);
    expect((await remove(leaver, "me")).status).toBe(403);
    expect((await remove(stayer, stayer.sub)).status).toBe(204);
  });

  test("removing a person is possible in a suspended workspace, and inviting is not", async () => {
    const owner = await plane.workspace("Suspended people");
    const developer = await plane.developer(owner.tenant_id);
    await suspend(owner);
    plane.db.clock.advance(60_000);
    const leaver = await plane.developer(owner.tenant_id);
    for (const [as, id] of [
      [owner, developer.sub],
      [leaver, "me"],
    ] as const) {
      expect((await remove(as, id)).status).toBe(204);
    }
    expect((await resend(owner, developer.sub)).status).toBe(403);
    expect((await plane.call("GET", "/v1/users", { as: owner })).status).toBe(200);
  });

  test("removing an invited person ends the invitation and its prepared grant; a person who is invited again has no grant", async () => {
    const owner = await plane.workspace("Anew");
    const { user_id } = (await invite(owner, "anew@people.example")).body;
    expect((await give(owner, user_id)).status).toBe(200);
    await remove(owner, user_id);
    expect(await plane.stores.grants.get(owner.tenant_id, user_id)).toBeUndefined();
    expect((await give(owner, user_id)).status).toBe(404);
    await pool.comes("anew@people.example");
    expect(await standing(user_id, owner)).toMatchObject({ status: "removed" });
    plane.db.clock.advance(tenMinutes);
    expect((await invite(owner, "anew@people.example")).body).toMatchObject({ user_id, mail: "sent" });
    expect((await standing(user_id, owner))?.status).toBeUndefined();
    await pool.comes("anew@people.example");
    expect((await standing(user_id, owner))?.status).toBeUndefined();
    expect((await accept(user_id, owner)).status).toBe(200);
    const now = await standing(user_id, owner);
    expect(now).toMatchObject({ status: "active" });
    expect(now).not.toHaveProperty("removed_at");
    expect(await plane.stores.grants.get(owner.tenant_id, user_id)).toBeUndefined();
    expect((await audited(owner)).map(({ action, before }) => [action, before?.status])).toEqual([
      ["user.invite", undefined],
      ["user.remove", undefined],
      ["user.invite", "removed"],
      ["user.join", undefined],
    ]);
  });

  test("removing a person leaves no grant and no key, whatever happens at the same time", async () => {
    const owner = await plane.workspace("Racing");
    for (let round = 0; round < 12; round++) {
      const developer = await aDeveloper(owner);
      const start = (work: () => Promise<unknown>) => new Promise(setImmediate).then(work);
      const key = (name: string) =>
        plane.call("POST", "/v1/keys", { as: developer, body: { name: `${name}${round}` } });
      const [removed] = await Promise.all([
        remove(owner, developer.sub),
        ...["a", "b", "c"].map((name) => start(() => key(name))),
        give(owner, developer.sub),
        start(() => give(owner, developer.sub)),
        plane.call("POST", `/v1/keys/${developer.key_id}/rotate`, { as: developer, body: {} }),
        remove(owner, developer.sub),
      ]);
      expect(removed.status).toBe(204);
      expect(await standing(developer.sub, owner)).toMatchObject({ status: "removed" });
      expect(await plane.stores.grants.get(owner.tenant_id, developer.sub)).toBeUndefined();
      const { items } = await plane.stores.apiKeys.list(
        owner.tenant_id,
        { callerId: developer.sub, now: 0 },
        {
          limit: 100,
          after: undefined,
        },
      );
      expect(items.filter(({ status }) => status === "active")).toEqual([]);
    }
    const removals = (await audited(owner)).filter(({ action }) => action === "user.remove");
    expect(removals).toHaveLength(12);
  });

  test("removing a person during the first sign-in never leaves a grant, in whichever order the two take effect", async () => {
    const owner = await plane.workspace("Crossing");
    for (let round = 0; round < 10; round++) {
      plane.db.clock.advance(86_400_000);
      const email = `cross${round}@people.example`;
      const { user_id } = (await invite(owner, email)).body;
      await give(owner, user_id);
      await Promise.all([remove(owner, user_id), pool.comes(email), remove(owner, user_id)]);
      expect(await standing(user_id, owner)).toMatchObject({ status: "removed" });
      expect(await plane.stores.grants.get(owner.tenant_id, user_id)).toBeUndefined();
    }
  });
});

test("an invitation's Location shows the person, to the owner and to that person", async () => {
  const owner = await plane.workspace("One person");
  const invited = await plane.call("POST", "/v1/users/invite", { as: owner, body: { email: "one@acme.test" } });
  const path = String(invited.headers.location);
  const { status, body } = await plane.call("GET", path, { as: owner });
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({ user_id: invited.body.user_id, email: "one@acme.test" }),
  ]);
  expect(body).not.toHaveProperty("status");
  const developer = await plane.developer(owner.tenant_id);
  expect((await plane.call("GET", path, { as: developer })).status).toBe(403);
  expect((await plane.call("GET", "/v1/users/me", { as: developer })).body.user_id).toBe(developer.sub);
  expect((await plane.call("GET", "/v1/users/nobody", { as: owner })).status).toBe(404);
});
