import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { profileRecord } from "../../../../adapters/dynamodb/people/user.record.ts";
import { tenantRemains } from "../../../../adapters/dynamodb/provisioning/tenant-remains.ts";
import type { StoredRecord } from "../../../../adapters/dynamodb/record.ts";
import { records } from "../../../../adapters/dynamodb/records.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { ownedTenantsRecord } from "../../../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import { shardOf } from "../../../../domain/metering/shard.ts";
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

const all: [string, StoredRecord][] = Object.entries(records);
const going = all.filter(([, { purge }]) => "with" in purge && purge.with === "workspace");

/** A row of the tenant, as the record declares its keys; of a record by hours or months, one of the tenant's very first hour and one of its last. */
function rowsOfTenant(record: StoredRecord, tenant_id: string): Record<string, unknown>[] {
  const { patterns, purge } = record;
  // The tenant's creation and deletion make these.
  if ("by" in purge && purge.by === "transaction") return [];
  const listings = [patterns, patterns.index, patterns.activeIndex].flatMap((of) => (of ? [of.pk, of.sk] : []));
  const names = new Set(listings.flatMap((listing) => listing.names));
  const isNumber = (name: string) => listings.some(({ pattern }) => pattern.includes(`{${name}:9}`));
  const own = Object.fromEntries([...names].map((name) => [name, isNumber(name) ? 1 : `${name}-${tenant_id}`]));
  const known = { tenant_id, sub: "bob", shard: shardOf(tenant_id) };
  const hours = names.has("hour") || names.has("month") ? ["2026-10-30T23", "2026-11-02T02"] : [""];
  return hours.map((hour) => {
    const values: Record<string, string> = { ...own, ...(known as object), hour, month: hour.slice(0, 7) };
    return {
      ...{ ...values, ...record.key(values) },
      ...(patterns.index && record.indexKey(values)),
      ...(patterns.activeIndex && record.activeIndexKey(values)),
    };
  });
}

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
  for (const Item of going.flatMap(([, record]) => rowsOfTenant(record, tenant_id))) {
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
  const seeded = before.filter((item) => of([item], "gone-1").length > 0 && !others.includes(item));
  const missing = going.filter(([, record]) => !seeded.some((item) => record.valuesOf(item)));
  expect(missing.map(([name]) => name)).toEqual([]);

  const removed = await remains.remove(tenant, now);
  expect(removed).toMatchObject({ user: 3, apiKey: 1, spending: 2, ledger: 2, rollup: 2, credit: 1 });
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
