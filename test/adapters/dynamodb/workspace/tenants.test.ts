import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, PutCommand, paginateQuery, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ledgerRecord } from "../../../../adapters/dynamodb/ledger/ledger.record.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import { tenantRows } from "../../../../adapters/dynamodb/workspace/tenants.ts";
import type { TenantEffects } from "../../../../domain/provisioning/tenant-creation.ts";
import { setupSteps, type Tenant } from "../../../../domain/workspace/tenant.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
let effects: TenantEffects;
beforeAll(async () => {
  opened = await openStores();
  effects = opened.stores.tenantEffects("console");
});
afterAll(() => opened.close());

function aTenant(tenant_id: string, slug: string, changes: Partial<Tenant> = {}): Tenant {
  return {
    tenant_id,
    name: slug,
    slug,
    owner_sub: "ann",
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: "eu-central-1",
    created_at: "2026-11-21T05:00:00.000Z",
    setup_state: { pending: [...setupSteps] },
    ...changes,
  };
}

test("a tenant is found by id and by slug as it was written", async () => {
  const tenant = aTenant("t1", "one");
  expect(await effects.tenant_row(tenant)).toEqual(tenant);
  expect(await opened.stores.tenants.get("t1")).toEqual(tenant);
  expect(await opened.stores.tenants.getBySlug("one")).toEqual(tenant);
});

test("a tenant that does not exist is not found", async () => {
  expect(await opened.stores.tenants.get("none")).toBeUndefined();
  expect(await opened.stores.tenants.getBySlug("none")).toBeUndefined();
});

test("a tenant whose row is listed under another tenant's slug neither takes that slug nor is found by it", async () => {
  const tenant = await effects.tenant_row(aTenant("z1", "reserved"));
  for (const slug of ["reserved", "nobodys"]) {
    const forged = {
      ...tenantRecord.key({ tenant_id: `a-${slug}` }),
      ...aTenant(`a-${slug}`, slug),
      ...tenantRecord.indexKey({ slug }),
    };
    await opened.document.send(new PutCommand({ TableName: tableName, Item: forged }));
  }
  expect(await opened.stores.tenants.getBySlug("reserved")).toEqual(tenant);
  expect(await opened.stores.tenants.getBySlug("nobodys")).toBeUndefined();
});

test("foreign records under a slug are skipped, before and after the tenant, and across pages", async () => {
  const tenant = await effects.tenant_row(aTenant("m3", "planted"));
  expect(await opened.stores.tenants.getBySlug("planted")).toEqual(tenant);
  // Rows of a ledger writer's own, which claim to be a tenant: one of them the very one. A page of an index has 1 MB.
  const planted = (pk: string, changes: object = {}) => ({
    ...ledgerRecord.key({ tenant_id: pk, hour: "2026-11-21T05", request_id: "r1" }),
    ...tenantRecord.indexKey({ slug: "planted" }),
    ...aTenant("other", "planted", { owner_sub: "mallory" }),
    filler: "x".repeat(390_000),
    ...changes,
  });
  const rows = [...["a1", "a2", "a3", "z1", "z2", "z3"].map((pk) => planted(pk)), planted("m", { tenant_id: "m3" })];
  for (const Item of rows) await opened.document.send(new PutCommand({ TableName: tableName, Item }));
  const found: unknown[][] = [];
  const query = {
    TableName: tableName,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1_pk = :pk",
    ExpressionAttributeValues: { ":pk": tenantRecord.indexKey({ slug: "planted" }).gsi1_pk },
  };
  for await (const { Items = [] } of paginateQuery({ client: opened.document }, query)) {
    found.push(Items.map(({ pk }) => pk));
  }
  // The index gives rows of one place in an order of its own: here the tenant is on a later page, with rows on both sides.
  const { pk } = tenantRecord.key({ tenant_id: "m3" });
  expect(found[0]).not.toContain(pk);
  expect(found.flat().indexOf(pk)).toBeLessThan(found.flat().length - 1);
  expect(await opened.stores.tenants.getBySlug("planted")).toEqual(tenant);
  await opened.document.send(new DeleteCommand({ TableName: tableName, Key: tenantRecord.key({ tenant_id: "m3" }) }));
  expect(await opened.stores.tenants.getBySlug("planted")).toBeUndefined();
});

test("each step of a creation is removed once from the tenant's pending steps", async () => {
  const tenant = await effects.tenant_row(aTenant("t2", "two"));
  for (let repeat = 0; repeat < 2; repeat++) {
    await effects.free_credit(tenant);
    const { setup_state } = (await opened.stores.tenants.get("t2")) as Tenant;
    expect(setup_state.pending).toEqual(["kms_key", "stripe_customer", "stripe_subscription", "membership"]);
  }
  await effects.membership(tenant);
  const { setup_state } = (await opened.stores.tenants.get("t2")) as Tenant;
  expect(setup_state.pending).toEqual(["kms_key", "stripe_customer", "stripe_subscription"]);
});

test("a completely created tenant has no pending steps", async () => {
  await effects.tenant_row(aTenant("t3", "three", { setup_state: { pending: ["membership"] } }));
  await effects.membership(aTenant("t3", "three"));
  expect(await opened.stores.tenants.get("t3")).toMatchObject({ setup_state: { pending: [] } });
});

test("creating a tenant that exists already returns the stored tenant, not the draft", async () => {
  const first = await effects.tenant_row(aTenant("t4", "four"));
  const draft = aTenant("t4", "four", { created_at: "2026-11-22T05:00:00.000Z" });
  expect(await effects.tenant_row(draft)).toEqual(first);
});

test("only one of many simultaneous creators takes a slug; all others get its holder", async () => {
  const ids = ["r1", "r2", "r3", "r4", "r5"];
  const holders = await Promise.all(ids.map((id) => effects.tenant_row(aTenant(id, "race"))));
  const winners = new Set(holders.map(({ tenant_id }) => tenant_id));
  expect(winners.size).toBe(1);
  const rows = await Promise.all(ids.map((id) => opened.stores.tenants.get(id)));
  expect(rows.filter((row) => row !== undefined)).toMatchObject([{ tenant_id: [...winners][0] }]);
});

describe("who meets others' creations for longer than a few tries", () => {
  /** The store's first so many transactions are in conflict; `then` comes before the others. */
  const contended = (conflicts: number, then: () => Promise<unknown> = async () => {}) => {
    let left = conflicts;
    const send = async (command: unknown) => {
      if (command instanceof TransactWriteCommand && left > 0) {
        left -= 1;
        if (left === 0) await then();
        const CancellationReasons = [{ Code: "None" }, { Code: "TransactionConflict" }];
        throw new TransactionCanceledException({ message: "conflict", CancellationReasons, $metadata: {} });
      }
      return opened.document.send(command as TransactWriteCommand);
    };
    const client = new Proxy(opened.document, {
      get: (target, name) => (name === "send" ? send : Reflect.get(target, name)),
    });
    return tenantRows(rowsOf(client, tableName), { clientId: "console", clock: Date.now, maxOwned: 5 });
  };

  test("a creation that conflicts with many others gets the slug if it is free in the end", async () => {
    const tenant = aTenant("race-1", "race-1", { owner_sub: "racer" });
    expect(await contended(7).tenant_row(tenant)).toEqual(tenant);
  });

  test("a creation that conflicts with many others is told that the slug is taken", async () => {
    const winner = aTenant("race-2", "race-2", { owner_sub: "winner" });
    const loser = aTenant("race-3", "race-2", { owner_sub: "racer" });
    expect(await contended(7, () => effects.tenant_row(winner)).tenant_row(loser)).toMatchObject({
      tenant_id: "race-2",
    });
  });

  test("a creation that conflicts with too many others is told that the store is busy", async () => {
    const failure = contended(100).tenant_row(aTenant("race-4", "race-4", { owner_sub: "racer" }));
    await expect(failure).rejects.toMatchObject({ code: "store_unavailable" });
  });
});

test("a slug reserved for a tenant that no longer exists is a conflict, not an endless wait", async () => {
  await effects.tenant_row(aTenant("t5", "five"));
  await opened.document.send(new DeleteCommand({ TableName: tableName, Key: tenantRecord.key({ tenant_id: "t5" }) }));
  await expect(effects.tenant_row(aTenant("t6", "five"))).rejects.toMatchObject({ code: "changed_meanwhile" });
});

test("free credit beyond the day's limit is pending until the next day or a payment method, and the membership does not wait for it", async () => {
  const refused: string[] = [];
  let now = Date.parse("2027-03-01T10:00:00Z");
  const rows = tenantRows(rowsOf(opened.document, tableName), {
    ...{ clientId: "console", clock: () => now, maxOwned: 9 },
    freeGrants: { mostADay: 1, refused: (tenantId) => refused.push(tenantId) },
  });
  const made = await Promise.all(
    ["free-1", "free-2", "free-3"].map((id) => rows.tenant_row(aTenant(id, id, { owner_sub: "giver" }))),
  );
  const outcomes = await Promise.all(made.map((tenant) => rows.free_credit(tenant)));
  expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
  expect(refused).toHaveLength(2);
  const waiting = made.filter((_, place) => outcomes[place] === "pending");
  expect(await rows.membership(waiting[0] as (typeof made)[0])).toBeUndefined();
  expect(await rows.free_credit(waiting[0] as (typeof made)[0])).toBe("pending");
  const [first, second] = waiting.map(({ tenant_id }) => tenant_id);
  const Key = tenantRecord.key({ tenant_id: first ?? "" });
  const paying = { UpdateExpression: "SET has_payment_method = :yes", ExpressionAttributeValues: { ":yes": true } };
  await opened.document.send(new UpdateCommand({ TableName: tableName, Key, ...paying }));
  expect(await rows.free_credit(waiting[0] as (typeof made)[0])).toBeUndefined();
  now += 86_400_000;
  expect(await rows.free_credit(waiting[1] as (typeof made)[0])).toBeUndefined();
  expect((await opened.stores.tenants.get(second ?? ""))?.setup_state.pending).not.toContain("free_credit");
});
