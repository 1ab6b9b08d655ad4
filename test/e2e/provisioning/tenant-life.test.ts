// The life of a workspace on the local clock: 13 days after its deletion it is still there, after 14 nothing of it is.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { stripeClient } from "../../../adapters/stripe/client.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { naming, runMeter, settled } from "../../support/accounting/accounting.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { toMinute } from "../../support/time.ts";

const dayMs = 86_400_000;
let stack: Stack;

beforeAll(async () => {
  stack = await startSeeded();
});
afterAll(() => stack.stop());

async function call(person: Person, method: string, path: string, body?: object) {
  const response = await fetch(stack.at("api") + path, {
    method,
    headers: {
      authorization: `Bearer ${await consoleToken(stack, person)}`,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function ask(slug: string, key: string): Promise<number> {
  const response = await fetch(`${stack.at(`${slug}.proxy`)}/vendor/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ model: "claude-sonnet-5", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }),
  });
  await response.text();
  await settled(stack);
  return response.status;
}

/** Where an id is named, but for the audit trail, which outlives a workspace, and for how far a person was ahead with questions, which is kept for a day. */
const told = async (id: string) => (await naming(stack, id)).filter((pk) => !/^(AUDIT|ASKED)#/.test(pk));

async function runPurge(): Promise<void> {
  await stack.schedules.run("purge");
  await stack.queuePoller.idle();
}

async function aUsedWorkspace(email: string, name: string) {
  const owner = await signUp(stack, email);
  const workspace = await openWorkspace(stack, owner, name);
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 5 };
  const key = await call(owner, "POST", "/v1/keys", { name: "CI", kind: "service_account", grant });
  expect(key.status).toBe(201);
  expect(await ask(workspace.slug, key.body.key)).toBe(200);
  stack.clock.advance(2 * 3_600_000);
  await runMeter(stack);
  return { owner, ...workspace, key: key.body.key as string };
}

/** The state of the tenant's key, and the alias if it has one. */
function keyOf(tenantId: string) {
  const [key, ...more] = stack.kms.keys().filter(({ tags }) => tags.tenant_id === tenantId);
  expect(more).toEqual([]);
  return { state: key?.state, alias: Object.keys(stack.kms.aliases()).find((name) => name.endsWith(tenantId)) };
}

const hasAccount = ({ email }: Person) => stack.cognito.subOf(email) !== undefined;

test("renaming, suspending, resuming and deleting a workspace takes effect for its callers within a minute", async () => {
  const { owner, tenant_id, slug, key } = await aUsedWorkspace("life@tenants.example", "Life");
  const admin = stack.demo?.platform_admin as Person;
  const path = `/v1/tenants/${tenant_id}`;
  const [alone, elsewhere] = [await signUp(stack, "alone@tenants.example"), stack.demo?.developer as Person];
  for (const person of [alone, elsewhere]) await addMember(stack, tenant_id, person);
  expect((await call(owner, "PATCH", path, { name: "New life" })).status).toBe(200);
  stack.clock.advance(60_000);
  expect([await ask(slug, key), await ask("new-life", key)]).toEqual([404, 200]);
  expect((await call(admin, "POST", `${path}/suspend`, { reason: "Unpaid" })).status).toBe(200);
  stack.clock.advance(60_000);
  expect(await ask("new-life", key)).toBe(403);
  expect((await call(admin, "POST", `${path}/resume`)).status).toBe(200);
  stack.clock.advance(60_000);
  expect(await ask("new-life", key)).toBe(200);
  // The month changes: what was used in the old one is to be found and removed too.
  stack.clock.advance(31 * dayMs);
  expect(await ask("new-life", key)).toBe(200);
  await runMeter(stack);
  expect((await call(admin, "DELETE", `${path}/purge`)).status).toBe(409);
  expect((await call(owner, "DELETE", path)).status).toBe(204);
  stack.clock.advance(60_000);
  expect(await ask("new-life", key)).toBe(403);

  stack.clock.advance(13 * dayMs - 60_000);
  await runPurge();
  expect((await call(admin, "GET", path)).body).toMatchObject({ status: "deleted", slug: "new-life" });
  expect(await told(tenant_id)).toEqual(expect.arrayContaining([`TENANT#${tenant_id}`, "SLUG#new-life"]));
  expect(keyOf(tenant_id)).toEqual({ state: "Enabled", alias: `alias/archway/dev/${tenant_id}` });
  expect([owner, alone, elsewhere].map(hasAccount)).toEqual([true, true, true]);

  const others = (await told(stack.demo?.tenant_id ?? "")).length;
  stack.clock.advance(dayMs);
  await runPurge();
  expect(await told(tenant_id)).toEqual([]);
  expect((await call(admin, "GET", path)).status).toBe(404);
  // Who did what to it is still to be read, with the addresses of those who have an account.
  const trail = (await call(admin, "GET", `${path}/audit?limit=100`)).body.data as { action: string }[];
  expect(trail.find(({ action }) => action === "tenant.suspend")).toMatchObject({
    actor: admin.sub,
    actor_email: admin.email,
    actor_role: "platform_admin",
    after: { suspended_reason: "Unpaid" },
  });
  const platform = (await call(admin, "GET", "/v1/audit/platform?limit=100")).body.data as { action: string }[];
  expect(platform).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: "tenant.suspend", tenant_id, actor_email: admin.email }),
      expect.objectContaining({
        action: "tenant.purge",
        before: expect.objectContaining({ owner_email: owner.email }),
      }),
    ]),
  );
  expect(await ask("new-life", key)).toBe(404);
  expect((await told(stack.demo?.tenant_id ?? "")).length).toBe(others);
  // The key waits for its deletion, then it is gone; of the people those are left whose accounts nobody of the workspace made.
  expect(keyOf(tenant_id)).toEqual({ state: "PendingDeletion", alias: undefined });
  expect([owner, alone, elsewhere].map(hasAccount)).toEqual([false, true, true]);
  expect(await told(alone.sub)).toEqual([`USER#${alone.sub}`]);
  expect(await told(owner.sub)).toEqual([]);
  stack.clock.advance(30 * dayMs);
  expect(stack.kms.keys().filter(({ tags }) => tags.tenant_id === tenant_id)).toEqual([]);
  // Whoever comes back comes as somebody new, and the address is free.
  const back = await signUp(stack, owner.email);
  expect(back.sub).not.toBe(owner.sub);
  expect((await openWorkspace(stack, back, "New life")).slug).toBe("new-life");
});

test("the purge of an owner's two workspaces removes the accounts of the owner and of people whom the owner invited, and keeps a stranger's", async () => {
  const owner = await signUp(stack, "two@tenants.example");
  const ids: string[] = [];
  const stranger = await signUp(stack, "stranger@tenants.example");
  const made = "made@tenants.example";
  for (const name of ["Two one", "Two two"]) {
    const { tenant_id } = await openWorkspace(stack, owner, name);
    ids.push(tenant_id);
    for (const email of [stranger.email, made]) {
      expect((await call(owner, "POST", "/v1/users/invite", { email })).status).toBe(201);
    }
  }
  const customers = () =>
    stack.stripe.account.customers.all().filter(({ customer }) => customer.metadata.owner_sub === owner.sub);
  const [customer, ...others] = customers();
  expect([customer?.deleted, others]).toEqual([false, []]);
  const cards = () => stack.stripe.account.paymentMethods.all().filter((one) => one.customer === customer?.id);
  await stripeClient({ secretKey: "sk_test_local", address: stack.at("stripe") }).paymentMethods.attach(
    "pm_card_visa",
    {
      customer: customer?.id ?? "",
    },
  );
  expect(cards()).toHaveLength(1);
  for (const id of ids) expect((await call(owner, "DELETE", `/v1/tenants/${id}`)).status).toBe(204);
  stack.clock.advance(90 * 60_000);
  await runMeter(stack);
  stack.clock.advance(14 * dayMs);
  await runPurge();
  for (const id of ids) expect(await told(id)).toEqual([]);
  expect([customers().filter(({ deleted }) => !deleted), cards()]).toEqual([[], []]);
  expect([owner.email, stranger.email, made].map((email) => stack.cognito.subOf(email) !== undefined)).toEqual([
    false,
    true,
    false,
  ]);
  expect(await told(owner.sub)).toEqual([]);
  expect(await told(stranger.sub)).toEqual([`USER#${stranger.sub}`]);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("a platform admin can purge once the deletion has settled, and again after an interrupted run", async () => {
  // When the hour of the deletion is closed, and so how often the purge waits for it, depends on the minute.
  toMinute(stack, 5);
  const { owner, tenant_id } = await aUsedWorkspace("demand@tenants.example", "Demand");
  const admin = stack.demo?.platform_admin as Person;
  const path = `/v1/tenants/${tenant_id}`;
  expect((await call(owner, "DELETE", `${path}/purge`)).status).toBe(403);
  expect((await call(owner, "DELETE", path)).status).toBe(204);
  expect((await call(admin, "DELETE", `${path}/purge`)).status).toBe(202);
  await stack.queuePoller.idle();
  expect(await told(tenant_id)).toContain(`TENANT#${tenant_id}`);
  // The hour of the deletion is closed: until then there may be something to bill.
  stack.clock.advance(75 * 60_000);
  // The purge finds the hour still open, and leaves it to the next run of its schedule.
  await runPurge();
  await runMeter(stack);
  expect(await told(tenant_id)).toContain(`TENANT#${tenant_id}`);
  stack.faults.put([
    { service: "dynamodb", operation: "DeleteItem", match: "ROLLUP#", when: "before", kind: "error", times: 3 },
  ]);
  await runPurge();
  expect(await told(tenant_id)).toContain(`TENANT#${tenant_id}`);
  stack.faults.clear();
  stack.clock.advance(3_600_000);
  await stack.queuePoller.idle();
  // What a person was answered is remembered for a day.
  const left = (await told(tenant_id)).filter((pk) => !pk.startsWith("IDEMPOTENCY#"));
  expect(left).toEqual([]);
  const { body } = await call(admin, "GET", "/v1/audit/platform?action=tenant.purge");
  expect(body.data[0]).toMatchObject({ actor: admin.sub, actor_role: "platform_admin", target: tenant_id });
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("support reads people, usage and state of a workspace, of which the owner is told first; it can change nothing and read nothing else", async () => {
  const owner = await signUp(stack, "helped@tenants.example");
  const { tenant_id } = await openWorkspace(stack, owner, "Helped");
  const support = await signUp(stack, "support@archway.example");
  const path = `/v1/tenants/${tenant_id}`;
  expect((await call(support, "GET", "/v1/me")).body).toMatchObject({ platform_role: "platform_support" });
  expect((await call(support, "GET", "/v1/tenants?slug=helped")).body.data).toMatchObject([{ tenant_id }]);
  expect((await call(support, "GET", path)).body).toMatchObject({ status: "active", slug: "helped" });
  expect((await call(support, "GET", `${path}/users`)).body.data).toMatchObject([{ email: owner.email }]);
  expect((await call(support, "GET", `${path}/usage`)).body).toMatchObject({ data: [], complete: true });
  const refused = [
    ["GET", `${path}/audit`],
    ["POST", `${path}/suspend`, { reason: "Curious" }],
    ["PATCH", path, { tier: "pro" }],
    ["GET", "/v1/users/pending"],
    ["GET", "/v1/audit/platform"],
  ] as const;
  const found = await Promise.all(
    refused.map(async ([method, at, body]) => (await call(support, method, at, body)).status),
  );
  expect(found).toEqual([403, 403, 404, 403, 403]);
  const { data } = (await call(owner, "GET", "/v1/audit")).body;
  const reads = data.filter(({ actor_role }: { actor_role?: string }) => actor_role === "platform_support");
  expect(reads.map(({ action }: { action: string }) => action)).toEqual([
    ...["tenant.read_usage", "tenant.read_users", "tenant.read"],
  ]);
  // Who of the platform it was, the platform knows.
  expect(reads[0]).toMatchObject({ actor: support.sub });
  expect(reads[0]).not.toHaveProperty("actor_email");
  const admin = stack.demo?.platform_admin as Person;
  const platform = (await call(admin, "GET", `/v1/audit/platform?actor=${support.sub}`)).body.data;
  expect(platform.map(({ action, actor_email }: Record<string, string>) => [action, actor_email])).toEqual([
    ...["tenant.read_usage", "tenant.read_users", "tenant.read", "tenant.search"].map((action) => [
      action,
      support.email,
    ]),
    ["user.sign_up", support.email],
  ]);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});
