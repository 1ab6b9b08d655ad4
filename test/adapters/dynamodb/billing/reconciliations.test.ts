import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { customerStore } from "../../../../adapters/dynamodb/billing/customers.ts";
import { paymentEventRecord } from "../../../../adapters/dynamodb/billing/payment-event.record.ts";
import { reconciliationStore } from "../../../../adapters/dynamodb/billing/reconciliations.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { Customer } from "../../../../domain/billing/customer.ts";
import type { Reconciled, TenantChange } from "../../../../domain/billing/reconciliation.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../../domain/workspace/tenant.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";

const now = Date.parse("2026-11-21T05:00:00Z");

let opened: Awaited<ReturnType<typeof openStores>>;
let store: ReturnType<typeof reconciliationStore>;
let customers: ReturnType<typeof customerStore>;
beforeAll(async () => {
  opened = await openStores();
  store = reconciliationStore(rowsOf(opened.document, tableName));
  customers = customerStore(rowsOf(opened.document, tableName));
});
afterAll(() => opened.close());

async function aCustomer(): Promise<Customer> {
  const owner_sub = randomUUID();
  await customers.put({ owner_sub, customer_id: `cus_${owner_sub}` }, undefined);
  return (await customers.get(owner_sub)) as Customer;
}

async function aTenant({ owner_sub }: Customer): Promise<Tenant> {
  const tenant_id = randomUUID();
  return opened.stores.tenantEffects("console").tenant_row({
    tenant_id,
    name: tenant_id,
    slug: tenant_id,
    owner_sub,
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: "eu-central-1",
    created_at: "2026-11-21T04:00:00.000Z",
    setup_state: { pending: ["membership"] },
  });
}

function changed(before: Tenant, changes: Partial<Tenant> = { has_payment_method: true }): TenantChange {
  const { tenant_id } = before;
  const after = { ...before, ...changes };
  const change = {
    tenant_id,
    actor: "stripe",
    action: "tenant.payment_method",
    target: tenant_id,
    before,
    after,
  } as const;
  return { before, after, entry: auditEntry(change, { id: randomUUID(), now }) };
}

function reconciled(
  customer: Customer,
  changes: TenantChange[],
  more: Partial<Reconciled> = {},
): Reconciled & { eventId: string } {
  const eventId = `evt_${randomUUID()}`;
  return {
    eventId,
    now,
    customer,
    hasPaymentMethod: true,
    triedPaymentMethod: "pm_1",
    owes: [],
    seen: {},
    changes,
    problems: [],
    ...more,
  } as Reconciled & { eventId: string };
}

const tenantOf = async ({ tenant_id }: Tenant) => (await opened.stores.tenants.get(tenant_id)) as Tenant;

test("a payment event, its customer and its workspaces are written together, with their audit entries", async () => {
  const customer = await aCustomer();
  const tenants = [await aTenant(customer), await aTenant(customer)];
  const [one, two] = tenants as [Tenant, Tenant];
  const all = reconciled(customer, [changed(one), changed(two, { status: "suspended", suspended_reason: "x" })]);
  expect(await store.isDone(all.eventId)).toBe(false);
  expect(await store.write(all)).toBe("written");
  expect(await store.isDone(all.eventId)).toBe(true);
  expect(await tenantOf(one)).toMatchObject({ has_payment_method: true, version: 1 });
  expect(await tenantOf(two)).toMatchObject({ has_payment_method: false, status: "suspended" });
  expect(await customers.get(customer.owner_sub)).toEqual({
    ...customer,
    has_payment_method: true,
    tried_payment_method: "pm_1",
    version: customer.version + 1,
  });
  const { items } = await opened.stores.audit.list(one.tenant_id, {}, { limit: 5, after: undefined }, now);
  expect(items[0]).toMatchObject({ actor: "stripe", after: { has_payment_method: true } });
  const Key = paymentEventRecord.key({ event_id: all.eventId });
  const { Item } = await opened.document.send(new GetCommand({ TableName: tableName, Key }));
  expect(Item).toMatchObject({ expires_at: now / 1000 + 35 * 86_400 });
  expect(JSON.stringify(Item)).not.toContain(customer.owner_sub);
});

test("a payment event that was processed already changes nothing", async () => {
  const customer = await aCustomer();
  const tenant = await aTenant(customer);
  const { eventId } = await (async () => {
    const first = reconciled(customer, []);
    await store.write(first);
    return first;
  })();
  const again = (await customers.get(customer.owner_sub)) as Customer;
  expect(await store.write(reconciled(again, [changed(tenant)], { eventId }))).toBe("done");
  expect((await tenantOf(tenant)).has_payment_method).toBe(false);
});

test("a payment event writes nothing if its customer or a workspace has changed meanwhile", async () => {
  const customer = await aCustomer();
  const tenant = await aTenant(customer);
  await store.write(reconciled(customer, []));
  const late = reconciled(customer, [changed(tenant)]);
  expect(await store.write(late)).toBe("stale");
  const present = (await customers.get(customer.owner_sub)) as Customer;
  const stale = reconciled(present, [changed({ ...tenant, version: 7 })]);
  expect(await store.write(stale)).toBe("stale");
  expect([await store.isDone(late.eventId), await store.isDone(stale.eventId)]).toEqual([false, false]);
  expect((await tenantOf(tenant)).has_payment_method).toBe(false);
});

test("a payment event changes only what the provider decides about a workspace, and a customer without a payment method has no method noted as tried", async () => {
  const customer = await aCustomer();
  const tenant = await aTenant(customer);
  const changes = [changed(tenant, { has_payment_method: true, name: "Other", tier: "pro" })];
  await store.write(reconciled(customer, changes));
  expect(await tenantOf(tenant)).toMatchObject({ name: tenant.name, tier: "pro", has_payment_method: true });
  const present = (await customers.get(customer.owner_sub)) as Customer;
  await store.write(reconciled(present, [], { hasPaymentMethod: false, triedPaymentMethod: undefined }));
  expect((await customers.get(customer.owner_sub))?.tried_payment_method).toBeUndefined();
});

test("workspaces that do not fit into one transaction are written in several, the payment event with the last", async () => {
  const customer = await aCustomer();
  const tenants: Tenant[] = [];
  for (let n = 0; n < 33; n++) tenants.push(await aTenant(customer));
  expect(
    await store.write(
      reconciled(
        customer,
        tenants.map((one) => changed(one)),
      ),
    ),
  ).toBe("written");
  for (const tenant of tenants) expect((await tenantOf(tenant)).has_payment_method).toBe(true);
  const stale = reconciled(
    customer,
    await Promise.all(tenants.map(async (one) => changed(await tenantOf(one), { has_payment_method: false }))),
  );
  expect(await store.write(stale)).toBe("stale");
  expect((await tenantOf(tenants[0] as Tenant)).has_payment_method).toBe(true);
});

test("a reading of the provider without an event also stores what the owner owes and which notices were sent", async () => {
  const customer = await aCustomer();
  const debts = { eventId: undefined, owes: ["in_1"], seen: { du_1: "lost" } };
  expect(await store.write(reconciled(customer, [], debts))).toBe("written");
  expect(await customers.get(customer.owner_sub)).toMatchObject({ owes: ["in_1"], seen: { du_1: "lost" } });
  expect(await store.write(reconciled(customer, [], debts))).toBe("stale");
  const unread = async (before: number) => {
    const subs: string[] = [];
    for await (const sub of customers.unread(new Date(before).toISOString())) subs.push(sub);
    return subs.includes(customer.owner_sub);
  };
  expect([await unread(now - 1), await unread(now + 1)]).toEqual([false, true]);
});
