import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tenantRemains } from "../../../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { activeCallerIndex, index, keys, type RecordKind, records } from "../../../../adapters/dynamodb/schema.ts";
import type { TenantRemains } from "../../../../domain/provisioning/purge.ts";
import { auditEntry, platformTrail } from "../../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../../domain/workspace/tenant.ts";
import { softDeleted } from "../../../../domain/workspace/tenant-change.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let remains: TenantRemains;
beforeAll(async () => {
  opened = await openStores();
  remains = tenantRemains(rowsOf(opened.document, tableName));
});
afterAll(() => opened.close());

const created = "2026-10-30T23:30:00.000Z";
const deletedAt = Date.parse("2026-11-02T01:10:00.000Z");
const now = Date.parse("2026-11-20T00:00:00.000Z");

/** Kinds of which a tenant has nothing, or which by their nature stay. */
const kept: Partial<Record<RecordKind, string>> = {
  appClient: "the program's own; none names a tenant",
  connectorClient: "goes with the gateway, which `agentcore` removes",
  idempotency: "a person's, and gone after 24 hours",
  signOut: "a person's, and gone after 31 days",
  customer: "the owner's, for all of the owner's workspaces: `payments` removes it with the last one",
  paymentEvent: "names nobody, and goes after 35 days",
  audit: "what was done to the tenant, for the platform's administrators until its retention ends",
  asked: "a person's, and gone after a day",
  allowance: "an owner's, for all of the owner's workspaces",
  debtor: "a debt that left with its owner, under a hash",
  card: "who has had a card, under its hash: `payments` takes the owner out with the last workspace",
  given: "a number of the whole platform, which goes after 7 days",
  mcpGateway: "goes with the gateway, which `agentcore` removes",
  crowd: "one number of the tenant, which goes by itself a day after its last call",
  waitingRoom: "one row of the tenant, which goes by itself a day after its last call waited",
};

async function aDeletedTenant(tenant_id: string, slug: string): Promise<Tenant> {
  const effects = opened.stores.tenantEffects("console");
  const draft: Tenant = {
    tenant_id,
    name: slug,
    slug,
    owner_sub: "ann",
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: "eu-central-1",
    created_at: created,
    setup_state: { pending: ["kms_key", "free_credit", "membership"] },
  };
  const tenant = await effects.tenant_row(draft);
  await effects.free_credit(tenant);
  await effects.membership(tenant);
  const active = (await opened.stores.tenants.get(tenant_id)) as Tenant;
  const deleted = softDeleted(active, deletedAt);
  const change = { tenant_id, actor: "ann", action: "tenant.delete", target: tenant_id } as const;
  await opened.stores.tenantChanges.write(active, deleted, auditEntry(change, { id: "d", now: deletedAt }));
  const caller = { tenantId: tenant_id, callerId: "bob", month: "2026-11" };
  const model = "claude";
  for (const Item of [
    { ...keys.membership("bob", tenant_id), ...index.member(tenant_id, "bob"), sub: "bob", tenant_id },
    { ...keys.activeTenant("bob", tenant_id), tenant_id },
    { ...keys.grant(tenant_id, "bob"), tenant_id },
    {
      ...keys.apiKey(`key-${tenant_id}`),
      ...index.apiKey(tenant_id, `key-${tenant_id}`),
      key_id: `key-${tenant_id}`,
      tenant_id,
    },
    { ...keys.lastUse(`key-${tenant_id}`), key_id: `key-${tenant_id}` },
    { ...keys.activeKeys(tenant_id, "bob"), count: 1 },
    { ...keys.serviceAccounts(tenant_id), accounts: 1 },
    { ...keys.spending(tenant_id, "bob", "2026-11"), ...activeCallerIndex(caller) },
    // At the very first and the very last hour.
    { ...keys.ledger(tenant_id, "2026-10-30T23", "r1") },
    { ...keys.ledger(tenant_id, "2026-11-02T02", "r2") },
    { ...keys.rollup({ tenant_id, hour: "2026-10-31T00", caller_id: "bob", model }) },
    { ...keys.rollup({ tenant_id, hour: "2026-11-01T00", caller_id: "bob", model }) },
    { ...keys.report(tenant_id, "2026-10-31T00") },
    { ...keys.adjustment(tenant_id, "r1") },
    { ...keys.total(tenant_id) },
    { ...keys.tenantProgress(tenant_id, "2026-10") },
    { ...keys.notice(tenant_id, "2026-10#cap") },
    { ...keys.notice(tenant_id, "credit") },
    { ...keys.mcpServerRemoved(tenant_id, "srv_1") },
    { ...keys.skill(tenant_id, "weekly-report") },
    { ...keys.skillCounts(tenant_id), skills: 1 },
    { ...keys.skillVersion(tenant_id, "weekly-report", 1) },
    { ...keys.skillContent(tenant_id, "weekly-report", "sha256:1") },
    { ...keys.skillEnvironment(tenant_id, "weekly-report") },
    { ...keys.skillApproval(tenant_id, "weekly-report") },
    { ...keys.skillSecret(tenant_id, "JIRA") },
    { ...keys.skillRun(tenant_id, "weekly-report", "run_1") },
    { ...keys.skillUse(tenant_id) },
  ]) {
    await opened.document.send(new PutCommand({ TableName: tableName, Item }));
  }
  return (await opened.stores.tenants.get(tenant_id)) as Tenant;
}

/** The whole table, which only a test looks through. */
async function everything(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await opened.document.send(new ScanCommand({ TableName: tableName }));
  return Items;
}

test("all that there is of a tenant goes, and nothing of another, however often it is cut off", async () => {
  const tenant = await aDeletedTenant("gone-1", "gone");
  const of = (items: Record<string, unknown>[], id: string) =>
    items.filter((item) => JSON.stringify(item).includes(id));
  // One whose id begins as the other's does.
  await aDeletedTenant("gone-11", "stays");
  const before = await everything();
  const others = of(before, "gone-11");
  const kinds = Object.entries(records).filter(([, prefix]) => before.some(({ pk }) => String(pk).startsWith(prefix)));
  const named = new Set([...kinds.map(([kind]) => kind), ...Object.keys(kept)]);
  expect([...named].toSorted()).toEqual(Object.keys(records).toSorted());

  const removed = await remains.remove(tenant, now);
  expect(removed).toMatchObject({ user: 3, apiKey: 1, spending: 1, ledger: 2, rollup: 2, credit: 1 });
  const again = await remains.remove(tenant, now);
  expect(Object.values(again).reduce((sum, one) => sum + one, 0)).toBe(0);

  const change = { tenant_id: platformTrail, actor: "purge", action: "tenant.purge", target: "gone-1" } as const;
  const entry = auditEntry({ ...change, after: { removed } }, { id: "p1", now });
  await remains.forget(tenant, entry);
  await remains.forget(tenant, { ...entry, audit_id: "p2" });
  const after = await everything();
  const left = after.filter((item) => !of(after, "gone-11").includes(item));
  const own = left.filter(({ pk }) => String(pk).startsWith("AUDIT#gone-1#"));
  expect(own.map(({ action }) => action).toSorted()).toEqual(["tenant.create", "tenant.delete"]);
  expect(left.filter((item) => !own.includes(item))).toEqual([
    expect.objectContaining({ pk: "AUDIT#platform#2026-11", audit_id: "p1", target: "gone-1" }),
  ]);
  // The place of the one that is gone is free.
  const ownedBefore = others.find(({ pk }) => pk === keys.ownedTenants("ann").pk);
  const ownedAfter = after.find(({ pk }) => pk === keys.ownedTenants("ann").pk);
  expect([ownedBefore?.owned, ownedAfter?.owned]).toEqual([2, 1]);
  expect(of(after, "gone-11").length).toBe(others.length);
});

test("a purge leaves nothing of people who are gone, and of other people everything outside the tenant", async () => {
  const tenant = await aDeletedTenant("left", "left");
  await aDeletedTenant("other", "other");
  const profile = (sub: string) => ({ ...keys.profile(sub), ...index.email(`${sub}@x`), sub, email: `${sub}@x` });
  for (const sub of ["ann", "bob"]) {
    await opened.document.send(new PutCommand({ TableName: tableName, Item: profile(sub) }));
  }
  expect((await remains.people("left")).toSorted()).toEqual(["ann", "bob"]);
  const removed = await remains.remove(tenant, now, ["bob"]);
  expect(removed.user).toBeGreaterThan(3);
  const pks = (await everything()).map(({ pk }) => pk);
  expect(pks).not.toContain(keys.profile("bob").pk);
  expect(pks).toContain(keys.profile("ann").pk);
  expect(Object.values(await remains.remove(tenant, now, ["bob"])).every((count) => count === 0)).toBe(true);
});

test("an address that is another tenant's by now is not taken from it", async () => {
  const tenant = await aDeletedTenant("thief", "mine");
  const stranger = await aDeletedTenant("holder", "held");
  const entry = auditEntry(
    { tenant_id: platformTrail, actor: "purge", action: "tenant.purge", target: "thief" },
    { id: "p3", now },
  );
  await expect(remains.forget({ ...tenant, slug: stranger.slug }, entry)).rejects.toThrow("another tenant's");
  expect(await opened.stores.tenants.get("thief")).toEqual(tenant);
});

test("deleted tenants are listed from a moment on, oldest first", async () => {
  const listed = async (time: string) => {
    const found: string[] = [];
    for await (const tenantId of remains.deletedUntil(time)) found.push(tenantId);
    return found;
  };
  await aDeletedTenant("late", "late");
  const moment = new Date(deletedAt).toISOString();
  expect(await listed(moment)).toContain("late");
  expect(await listed(new Date(deletedAt - 1).toISOString())).toEqual([]);
});

test("the manifest says what is outside the table", async () => {
  const tenant = await aDeletedTenant("manifest", "manifest");
  expect(await remains.manifest(tenant.tenant_id)).toContainEqual({ kind: "kms_key", state: "intended" });
});
