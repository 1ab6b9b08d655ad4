import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { activeCallerIndex, spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import {
  mcpServerNameRecord,
  mcpServerRecord,
  mcpServerRemovedRecord,
} from "../../../../adapters/dynamodb/integrations/mcp-server.record.ts";
import { activeKeysRecord } from "../../../../adapters/dynamodb/keys/active-keys.record.ts";
import { apiKeyRecord } from "../../../../adapters/dynamodb/keys/api-key.record.ts";
import { lastUseRecord } from "../../../../adapters/dynamodb/keys/last-use.record.ts";
import { serviceAccountsRecord } from "../../../../adapters/dynamodb/keys/service-accounts.record.ts";
import { ledgerRecord } from "../../../../adapters/dynamodb/ledger/ledger.record.ts";
import { tenantProgressRecord } from "../../../../adapters/dynamodb/ledger/metering-progress.record.ts";
import { rollupRecord } from "../../../../adapters/dynamodb/ledger/rollup.record.ts";
import { adjustmentRecord } from "../../../../adapters/dynamodb/metering/adjustment.record.ts";
import { reportRecord } from "../../../../adapters/dynamodb/metering/report.record.ts";
import {
  budgetNoticeRecord,
  capNoticeRecord,
  creditNoticeRecord,
  paymentNoticeRecord,
} from "../../../../adapters/dynamodb/notices/notice.record.ts";
import {
  activeTenantRecord,
  membershipRecord,
  profileRecord,
} from "../../../../adapters/dynamodb/people/user.record.ts";
import { tenantRemains } from "../../../../adapters/dynamodb/provisioning/tenant-remains.ts";
import type { StoredRecord } from "../../../../adapters/dynamodb/record.ts";
import { records } from "../../../../adapters/dynamodb/records.ts";
import { totalRecord } from "../../../../adapters/dynamodb/reporting/total.record.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { skillRunRecord } from "../../../../adapters/dynamodb/runs/skill-run.record.ts";
import { skillUseRecord } from "../../../../adapters/dynamodb/runs/skill-use.record.ts";
import {
  skillSecretCountsRecord,
  skillSecretRecord,
} from "../../../../adapters/dynamodb/secrets/skill-secret.record.ts";
import { skillCountsRecord, skillRecord } from "../../../../adapters/dynamodb/skills/skill.record.ts";
import { skillApprovalRecord } from "../../../../adapters/dynamodb/skills/skill-approval.record.ts";
import { skillEnvironmentRecord } from "../../../../adapters/dynamodb/skills/skill-environment.record.ts";
import { skillContentRecord, skillVersionRecord } from "../../../../adapters/dynamodb/skills/skill-version.record.ts";
import { ownedTenantsRecord } from "../../../../adapters/dynamodb/workspace/owned-tenants.record.ts";
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
    {
      ...membershipRecord.key({ sub: "bob", tenant_id }),
      ...membershipRecord.indexKey({ tenant_id, created_at: "", sub: "bob" }),
      sub: "bob",
      tenant_id,
    },
    { ...activeTenantRecord.key({ sub: "bob", client_id: tenant_id }), tenant_id },
    { ...grantRecord.key({ tenant_id, dev_sub: "bob" }), tenant_id },
    {
      ...apiKeyRecord.key({ key_id: `key-${tenant_id}` }),
      ...apiKeyRecord.indexKey({ tenant_id, created_at: "", key_id: `key-${tenant_id}` }),
      key_id: `key-${tenant_id}`,
      tenant_id,
    },
    { ...lastUseRecord.key({ key_id: `key-${tenant_id}` }), key_id: `key-${tenant_id}` },
    { ...activeKeysRecord.key({ tenant_id, caller_id: "bob" }), count: 1 },
    { ...serviceAccountsRecord.key({ tenant_id }), accounts: 1 },
    { ...spendingRecord.key({ tenant_id, caller_id: "bob", month: "2026-11" }), ...activeCallerIndex(caller) },
    // At the very first and the very last hour.
    { ...ledgerRecord.key({ tenant_id, hour: "2026-10-30T23", request_id: "r1" }) },
    { ...ledgerRecord.key({ tenant_id, hour: "2026-11-02T02", request_id: "r2" }) },
    { ...rollupRecord.key({ tenant_id, hour: "2026-10-31T00", caller_id: "bob", model }) },
    { ...rollupRecord.key({ tenant_id, hour: "2026-11-01T00", caller_id: "bob", model }) },
    { ...reportRecord.key({ tenant_id, hour: "2026-10-31T00" }) },
    { ...adjustmentRecord.key({ tenant_id, id: "r1" }) },
    { ...totalRecord.key({ tenant_id }) },
    { ...tenantProgressRecord.key({ tenant_id, month: "2026-10" }) },
    { ...capNoticeRecord.key({ tenant_id, month: "2026-10" }) },
    { ...creditNoticeRecord.key({ tenant_id }) },
    { ...budgetNoticeRecord.key({ tenant_id, month: "2026-10", caller_id: "bob" }) },
    { ...paymentNoticeRecord.key({ tenant_id, what: "suspended", about: "in_1" }) },
    { ...mcpServerRemovedRecord.key({ tenant_id, server_id: "srv_1" }) },
    { ...mcpServerRecord.key({ tenant_id, server_id: "srv_2" }) },
    { ...mcpServerNameRecord.key({ tenant_id, name: "weather" }) },
    { ...skillSecretCountsRecord.key({ tenant_id }), secrets: 1 },
    { ...skillRecord.key({ tenant_id, name: "weekly-report" }) },
    { ...skillCountsRecord.key({ tenant_id }), skills: 1 },
    { ...skillVersionRecord.key({ tenant_id, name: "weekly-report", version: 1 }) },
    { ...skillContentRecord.key({ tenant_id, name: "weekly-report", digest: "sha256:1" }) },
    { ...skillEnvironmentRecord.key({ tenant_id, name: "weekly-report" }) },
    { ...skillApprovalRecord.key({ tenant_id, name: "weekly-report" }) },
    { ...skillSecretRecord.key({ tenant_id, name: "JIRA" }) },
    { ...skillRunRecord.key({ tenant_id, skill: "weekly-report", run_id: "run_1" }) },
    { ...skillUseRecord.key({ tenant_id }) },
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

test("a purge removes every row of a tenant and none of another tenant, however often it is interrupted", async () => {
  const tenant = await aDeletedTenant("gone-1", "gone");
  const of = (items: Record<string, unknown>[], id: string) =>
    items.filter((item) => JSON.stringify(item).includes(id));
  // One whose id begins as the other's does.
  await aDeletedTenant("gone-11", "stays");
  const before = await everything();
  const others = of(before, "gone-11");
  const all: [string, StoredRecord][] = Object.entries(records);
  const going = all.filter(([, { purge }]) => "with" in purge && purge.with === "workspace");
  const missing = going.filter(([, record]) => !of(before, "gone-1").some((item) => record.valuesOf(item)));
  expect(missing.map(([name]) => name)).toEqual([]);

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
  const ownedBefore = others.find(({ pk }) => pk === ownedTenantsRecord.key({ owner_sub: "ann" }).pk);
  const ownedAfter = after.find(({ pk }) => pk === ownedTenantsRecord.key({ owner_sub: "ann" }).pk);
  expect([ownedBefore?.owned, ownedAfter?.owned]).toEqual([2, 1]);
  expect(of(after, "gone-11").length).toBe(others.length);
});

test("a purge removes every row of people whose account is gone, and of other people only what belongs to the tenant", async () => {
  const tenant = await aDeletedTenant("left", "left");
  await aDeletedTenant("other", "other");
  const profile = (sub: string) => ({
    ...profileRecord.key({ sub }),
    ...profileRecord.indexKey({ email: `${sub}@x` }),
    sub,
    email: `${sub}@x`,
  });
  for (const sub of ["ann", "bob"]) {
    await opened.document.send(new PutCommand({ TableName: tableName, Item: profile(sub) }));
  }
  expect((await remains.people("left")).toSorted()).toEqual(["ann", "bob"]);
  const removed = await remains.remove(tenant, now, ["bob"]);
  expect(removed.user).toBeGreaterThan(3);
  const pks = (await everything()).map(({ pk }) => pk);
  expect(pks).not.toContain(profileRecord.key({ sub: "bob" }).pk);
  expect(pks).toContain(profileRecord.key({ sub: "ann" }).pk);
  expect(Object.values(await remains.remove(tenant, now, ["bob"])).every((count) => count === 0)).toBe(true);
});

test("a purge does not remove a slug that another tenant has taken", async () => {
  const tenant = await aDeletedTenant("thief", "mine");
  const stranger = await aDeletedTenant("holder", "held");
  const entry = auditEntry(
    { tenant_id: platformTrail, actor: "purge", action: "tenant.purge", target: "thief" },
    { id: "p3", now },
  );
  await expect(remains.forget({ ...tenant, slug: stranger.slug }, entry)).rejects.toThrow("another tenant's");
  expect(await opened.stores.tenants.get("thief")).toEqual(tenant);
});

test("deleted tenants are listed up to a given time, oldest first", async () => {
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

test("the setup manifest lists the tenant's resources outside the table", async () => {
  const tenant = await aDeletedTenant("manifest", "manifest");
  expect(await remains.manifest(tenant.tenant_id)).toContainEqual({ kind: "kms_key", state: "intended" });
});
