// The effects of a creation at the payment provider, over the local Stripe and the table, cut off anywhere, in any order.
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { customerRecord } from "../../../adapters/dynamodb/billing/customer.record.ts";
import { customerStore } from "../../../adapters/dynamodb/billing/customers.ts";
import { renewalStore } from "../../../adapters/dynamodb/billing/renewals.ts";
import { billingEndStore } from "../../../adapters/dynamodb/provisioning/billing-ends.ts";
import { setupManifest } from "../../../adapters/dynamodb/provisioning/setup-manifests.ts";
import { slotStore } from "../../../adapters/dynamodb/provisioning/slots.ts";
import { tenantRemains } from "../../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { uncheckedTenants } from "../../../adapters/dynamodb/provisioning/unchecked-tenants.ts";
import { billingTotals } from "../../../adapters/dynamodb/reporting/billing-totals.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { ownedTenants } from "../../../adapters/dynamodb/workspace/owned-tenants.ts";
import { tenantChanges } from "../../../adapters/dynamodb/workspace/tenant-changes.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import { unpaidReason } from "../../../domain/billing/debt.ts";
import { renewBilling } from "../../../domain/billing/renewal.ts";
import { endBilling, removeBilling } from "../../../domain/provisioning/billing-end.ts";
import { paymentEffects } from "../../../domain/provisioning/billing-setup.ts";
import { runPendingSteps } from "../../../domain/provisioning/setup-steps.ts";
import { auditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { softDeleted } from "../../../domain/workspace/tenant-change.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { nobodyKnown } from "../../support/billing/trust.ts";
import { openStores, tableName } from "../../support/dynamodb/stores.ts";
import { chance } from "../../support/interleaving.ts";
import { aTenantOf } from "../../support/people/tenants.ts";
import { sizes } from "../../support/sizes.ts";

const log = { info: () => {}, problem: () => {} };
const owned = 3;

let opened: Awaited<ReturnType<typeof openStores>>;
let local: RunningStripe;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());
beforeEach(async () => {
  local = await startStripe();
  for (let slot = 1; slot <= owned; slot++) await aMeteredPrice(local.sdk, slot);
});
afterEach(() => local.close());

/** Fails before or after its call's effect, as often as `isDue` says. */
function flaky<T extends object>(target: T, isDue: () => "before" | "after" | undefined): T {
  return new Proxy(target, {
    get(of, name) {
      const method = Reflect.get(of, name);
      if (typeof method !== "function") return method;
      return async (...given: unknown[]) => {
        const due = isDue();
        if (due === "before") throw new Error(`${String(name)} was not done`);
        const result = await method.apply(of, given);
        if (due === "after") throw new Error(`the answer of ${String(name)} was lost`);
        return result;
      };
    },
  });
}

type Strike = () => "before" | "after" | undefined;

/** What the function `payments` does of a creation, a deletion and a purge. */
function product(strike: Strike = () => undefined) {
  const clock = () => local.clock.now();
  const payments = flaky(stripePayments({ secretKey: "sk_test_local", address: local.url }), strike);
  const { tenants, users } = opened.stores;
  const deps = {
    payments: async () => payments,
    customers: flaky(customerStore(rowsOf(opened.document, tableName)), strike),
    ownedTenants: flaky(ownedTenants(rowsOf(opened.document, tableName)), strike),
    slots: flaky(slotStore(rowsOf(opened.document, tableName)), strike),
    manifest: flaky(setupManifest(rowsOf(opened.document, tableName)), strike),
    ends: flaky(billingEndStore(rowsOf(opened.document, tableName)), strike),
    isMetered: async () => true,
    totals: billingTotals(rowsOf(opened.document, tableName)),
    recognition: nobodyKnown,
    telemetry: { unbilled: () => {} },
    markup: 1,
    newId: () => "entry",
    automaticTax: false,
    tenantChanges: tenantChanges(rowsOf(opened.document, tableName)),
    ...{ tenants, users, log, clock },
  };
  const effects = paymentEffects(deps);
  const read = async (tenantId: string) => (await tenants.get(tenantId)) as Tenant;
  return {
    setUp: async (tenantId: string) => runPendingSteps({ effects, log }, await read(tenantId)),
    end: async (tenantId: string) => endBilling(deps, await read(tenantId)),
    removeBilling: (tenantId: string) => removeBilling(deps, tenantId),
  };
}

let people = 0;
async function anOwner() {
  const sub = `owner-${++people}`;
  const email = `${sub}@acme.example`;
  await opened.stores.users.putProfile({
    sub,
    email,
    approval_status: "approved",
    provider: "password",
    email_verified: true,
    created_at: "2026-11-21T05:00:00.000Z",
  });
  return { sub, email };
}

async function tenantsOf(sub: string, count: number): Promise<Tenant[]> {
  const ids = Array.from({ length: count }, (_, index) => `${sub}-t${index + 1}`);
  const pending = ["stripe_customer", "stripe_subscription"] as Tenant["setup_state"]["pending"];
  const create = opened.stores.tenantEffects("console").tenant_row;
  return Promise.all(ids.map((id) => create(aTenantOf(sub, id, { setup_state: { pending } }))));
}

async function remove(tenantId: string): Promise<void> {
  for (;;) {
    const tenant = (await opened.stores.tenants.get(tenantId)) as Tenant;
    const change = { tenant_id: tenantId, actor: "x", action: "tenant.delete", target: tenantId } as const;
    const after = softDeleted(tenant, local.clock.now());
    const entry = auditEntry(change, { id: "e", now: local.clock.now() });
    if ((await opened.stores.tenantChanges.write(tenant, after, entry)) === "written") return;
  }
}

/** The purge's last part. */
async function forget(tenantId: string): Promise<void> {
  const tenant = (await opened.stores.tenants.get(tenantId)) as Tenant;
  const remains = tenantRemains(rowsOf(opened.document, tableName));
  await remains.remove(tenant, local.clock.now());
  const change = { tenant_id: "platform", actor: "x", action: "tenant.purge", target: tenantId } as const;
  await remains.forget(tenant, auditEntry(change, { id: `purge-${tenantId}`, now: local.clock.now() }));
}

const customersOf = (sub: string) =>
  local.stripe.account.customers
    .all()
    .filter(({ customer, deleted }) => customer.metadata.owner_sub === sub && !deleted);
const subscriptionsOf = (tenantId: string) =>
  local.stripe.account.subscriptions.all().filter(({ metadata }) => metadata.tenant_id === tenantId);

/** One customer, one subscription a workspace, each on the meter of a slot of its own, and nothing more. */
async function expectWhole(sub: string, ids: string[]): Promise<void> {
  const [customer, ...more] = customersOf(sub);
  expect(more).toEqual([]);
  const slots = new Set<number>();
  for (const id of ids) {
    const [subscription, ...others] = subscriptionsOf(id);
    expect(others).toEqual([]);
    const tenant = (await opened.stores.tenants.get(id)) as Tenant;
    expect(tenant.setup_state.pending).toEqual([]);
    expect(tenant.stripe_customer_id).toBe(customer?.id);
    expect(tenant.stripe_subscription_id).toBe(subscription?.id);
    expect(subscription?.items.data[0]?.price.lookup_key).toBe(`usage_usd_${tenant.billing_slot}`);
    slots.add(tenant.billing_slot as number);
  }
  expect(slots.size).toBe(ids.length);
}

test("two workspaces of one owner that are created at the same time get one customer, and a slot each", async () => {
  const { sub } = await anOwner();
  const ids = (await tenantsOf(sub, 2)).map(({ tenant_id }) => tenant_id);
  const { setUp } = product();
  const ends = await Promise.allSettled(ids.map(setUp));
  local.clock.advance(61_000);
  if (ends.some(({ status }) => status === "rejected")) await Promise.all(ids.map(setUp));
  await expectWhole(sub, ids);
  const [subscription] = subscriptionsOf(ids[0] as string);
  expect(subscription?.billing_mode.type).toBe("flexible");
  expect(new Date((subscription?.billing_cycle_anchor ?? 0) * 1000).toISOString()).toMatch(/-01T00:00:00/);
});

test("a workspace starts with its owner's payment method", async () => {
  const { sub } = await anOwner();
  const [first, second] = (await tenantsOf(sub, 2)).map(({ tenant_id }) => tenant_id) as [string, string];
  const { setUp } = product();
  await setUp(first);
  expect(await opened.stores.tenants.get(first)).toMatchObject({ has_payment_method: false });
  await setHasMethod(sub);
  await setUp(second);
  expect(await opened.stores.tenants.get(second)).toMatchObject({ has_payment_method: true });
});

test("a workspace whose subscription waits for its owner's card gets it within a day of the card", async () => {
  local.stripe.configure({ begins_without_method: false });
  const { sub } = await anOwner();
  const [id] = (await tenantsOf(sub, 1)).map(({ tenant_id }) => tenant_id) as [string];
  const { setUp } = product();
  await expect(setUp(id)).rejects.toMatchObject({ code: "resource_missing" });
  const tenant = await opened.stores.tenants.get(id);
  expect(tenant).toMatchObject({
    stripe_customer_id: expect.any(String),
    setup_state: { pending: ["stripe_subscription"] },
  });
  const customer = String(tenant?.stripe_customer_id);
  const { id: card } = await local.sdk.paymentMethods.attach("pm_card_visa", { customer });
  await local.sdk.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  // Stripe repeats its answer to the same key for a day.
  local.clock.advance(24 * 3_600_000);
  await setUp(id);
  await expectWhole(sub, [id]);
});

async function renameTo(sub: string, email: string): Promise<void> {
  await opened.stores.users.putProfile({
    ...{ sub, email, approval_status: "approved" as const },
    ...{ provider: "password", email_verified: true },
    created_at: "2026-11-21T05:00:00.000Z",
  });
}

test.each([
  ["an hour", 3_600_000],
  ["three days", 72 * 3_600_000],
])("an owner who changes the address stays one customer, %s after the creation was interrupted", async (_, later) => {
  const { sub } = await anOwner();
  const [id] = (await tenantsOf(sub, 1)).map(({ tenant_id }) => tenant_id) as [string];
  local.fail({ service: "stripe", operation: "customers.create", kind: "error", when: "after" });
  await expect(product().setUp(id)).rejects.toThrow();
  expect(customersOf(sub)).toHaveLength(1);
  await renameTo(sub, `${sub}@new.example`);
  local.clock.advance(later);
  await product().setUp(id);
  await expectWhole(sub, [id]);
});

test("a customer that was not recorded is deleted with the owner's last workspace, even after a change of the address", async () => {
  const { sub } = await anOwner();
  const [first, second] = (await tenantsOf(sub, 2)).map(({ tenant_id }) => tenant_id) as [string, string];
  const { setUp, end, removeBilling } = product();
  const cutOff = () => {
    local.fail({ service: "stripe", operation: "customers.create", kind: "error", when: "after" });
    return expect(setUp(second)).rejects.toThrow();
  };
  await cutOff();
  await renameTo(sub, `${sub}@new.example`);
  for (const id of [first, second]) {
    await remove(id);
    local.clock.advance(900_000);
    expect(await end(id)).toBe(true);
    await removeBilling(id);
    expect(customersOf(sub)).toHaveLength(id === first ? 1 : 0);
    await forget(id);
  }
  expect(await customerStore(rowsOf(opened.document, tableName)).addressInUse(sub)).toBeUndefined();
});

test("when two workspaces are purged at the same time, the last one removes the customer", async () => {
  const { sub } = await anOwner();
  const ids = (await tenantsOf(sub, 2)).map(({ tenant_id }) => tenant_id);
  const { setUp, removeBilling } = product();
  for (const id of ids) await setUp(id);
  expect(customersOf(sub)).toHaveLength(1);
  for (const id of ids) await remove(id);
  local.clock.advance(900_000);
  const removed = await Promise.all(ids.map(removeBilling));
  expect(removed.map((one) => (one as Record<string, number>).stripe_customer).toSorted()).toEqual([0, 1]);
  expect(customersOf(sub)).toEqual([]);
  expect(await customerStore(rowsOf(opened.document, tableName)).get(sub)).toBeUndefined();
});

test("a customer that was deleted in the provider's dashboard is created again", async () => {
  const { sub } = await anOwner();
  const [first, second] = (await tenantsOf(sub, 2)).map(({ tenant_id }) => tenant_id) as [string, string];
  const { setUp } = product();
  await setUp(first);
  await local.sdk.customers.del(customersOf(sub)[0]?.id ?? "");
  await setUp(second);
  expect(customersOf(sub)).toHaveLength(1);
  expect((await opened.stores.tenants.get(second))?.stripe_customer_id).toBe(customersOf(sub)[0]?.id);
});

describe("what was ended in the provider's dashboard is made anew when people ask for it, and not before", () => {
  const renew = (tenantId: string) => {
    const { tenants } = opened.stores;
    const renewals = renewalStore(rowsOf(opened.document, tableName));
    return renewBilling({ tenants, renewals, clock: () => local.clock.now(), newId: () => "renewal" }, tenantId);
  };
  const living = (id: string) => subscriptionsOf(id).filter(({ ended_at }) => ended_at === null);
  const unchecked = async () => {
    const found: string[] = [];
    const until = new Date(local.clock.now() + 1).toISOString();
    for await (const id of uncheckedTenants(rowsOf(opened.document, tableName)).unchecked(until)) found.push(id);
    return found;
  };

  test.each(["before", "after", undefined] as const)(
    "a subscription whose creation is interrupted %s its effect is created once",
    async (when) => {
      const { sub } = await anOwner();
      const [id] = (await tenantsOf(sub, 1)).map(({ tenant_id }) => tenant_id) as [string];
      const { setUp, end } = product();
      await setUp(id);
      await uncheckedTenants(rowsOf(opened.document, tableName)).checked(id);
      for (let round = 1; round <= 2; round++) {
        await local.sdk.subscriptions.cancel(living(id)[0]?.id ?? "");
        await setUp(id);
        expect(living(id)).toEqual([]);
        expect([await renew(id), await unchecked()]).toEqual([undefined, expect.arrayContaining([id])]);
        expect(await renew(id)).toMatch(/is being made/);
        if (when) {
          local.fail({ service: "stripe", operation: "subscriptions.create", kind: "error", when });
          await expect(setUp(id)).rejects.toThrow();
          local.clock.advance(61_000);
        }
        await setUp(id);
        expect(living(id)).toHaveLength(1);
        const tenant = (await opened.stores.tenants.get(id)) as Tenant;
        expect(tenant).toMatchObject({ stripe_subscription_id: living(id)[0]?.id, setup_state: { pending: [] } });
        expect(living(id)[0]?.items.data[0]?.price.lookup_key).toBe(`usage_usd_${tenant.billing_slot}`);
        expect(subscriptionsOf(id)).toHaveLength(round + 1);
      }
      await remove(id);
      expect(await renew(id)).toMatch(/is deleted/);
      local.clock.advance(900_000);
      expect([await end(id), living(id)]).toEqual([true, []]);
    },
  );

  test("a subscription that was created but not recorded ends with a workspace that is deleted meanwhile", async () => {
    const { sub } = await anOwner();
    const [id] = (await tenantsOf(sub, 1)).map(({ tenant_id }) => tenant_id) as [string];
    const { setUp, end } = product();
    await setUp(id);
    await local.sdk.subscriptions.cancel(living(id)[0]?.id ?? "");
    await renew(id);
    local.fail({ service: "stripe", operation: "subscriptions.create", kind: "error", when: "after" });
    await expect(setUp(id)).rejects.toThrow();
    expect(living(id)).toHaveLength(1);
    await remove(id);
    local.clock.advance(900_000);
    expect([await end(id), living(id)]).toEqual([true, []]);
  });

  test("renewing creates a deleted customer together with the subscription", async () => {
    const { sub } = await anOwner();
    const [id] = (await tenantsOf(sub, 1)).map(({ tenant_id }) => tenant_id) as [string];
    await product().setUp(id);
    await local.sdk.customers.del(customersOf(sub)[0]?.id ?? "");
    await renew(id);
    await product().setUp(id);
    expect([customersOf(sub).length, living(id).length]).toEqual([1, 1]);
    const [customer] = customersOf(sub);
    expect(await opened.stores.tenants.get(id)).toMatchObject({ stripe_customer_id: customer?.id });
    expect(living(id)[0]?.customer).toBe(customer?.id);
  });

  test("renewing the billing of an unknown workspace changes nothing", async () => {
    expect(await renew("nobody")).toMatch(/no such workspace/);
  });
});

test.each(Array.from({ length: sizes.subscriptions }, (_, index) => index + 1))(
  "billing's setup that is interrupted anywhere creates one object of each kind, and the purge leaves none: schedule %i",
  async (seed) => {
    const random = chance(seed);
    const pick = (of: number) => Math.floor(random() * of);
    const strike: Strike = () => (random() < 0.15 ? (random() < 0.5 ? "before" : "after") : undefined);
    const flakyProduct = product(strike);
    const calm = product();
    const { sub } = await anOwner();
    const ids = (await tenantsOf(sub, 1 + pick(owned))).map(({ tenant_id }) => tenant_id);
    const deleted = new Set<string>();
    for (let round = 0; round < 1 + pick(4); round++) {
      if (random() < 0.25) await renameTo(sub, `${sub}-${round}@acme.example`);
      // Some run twice at once, as a request and the sweep's job may.
      const runs = ids.flatMap((id) => Array.from({ length: pick(3) }, () => id));
      await Promise.allSettled([
        ...runs.map((id) => flakyProduct.setUp(id)),
        ...ids.filter(() => random() < 0.05).map((id) => remove(id).then(() => void deleted.add(id))),
      ]);
      await Promise.allSettled([...deleted].map((id) => flakyProduct.end(id)));
      local.clock.advance(pick(3) === 0 ? 26 * 3_600_000 : 61_000);
    }
    const living = ids.filter((id) => !deleted.has(id));
    for (const id of living) await calm.setUp(id);
    if (living.length > 0) await expectWhole(sub, living);

    for (const id of living) await remove(id);
    for (const id of living) expect(await calm.end(id)).toBe(false);
    local.clock.advance(900_000);
    for (const id of ids) {
      for (let attempt = 0; attempt < 3; attempt++) {
        await flakyProduct.end(id).catch(() => undefined);
        await flakyProduct.removeBilling(id).catch(() => undefined);
      }
      expect(await calm.end(id)).toBe(true);
      expect(subscriptionsOf(id).filter(({ ended_at }) => ended_at === null)).toEqual([]);
      await calm.removeBilling(id);
      const tenant = (await opened.stores.tenants.get(id)) as Tenant;
      await tenantRemains(rowsOf(opened.document, tableName)).remove(tenant, local.clock.now());
    }
    expect(customersOf(sub)).toEqual([]);
    expect(await customerStore(rowsOf(opened.document, tableName)).get(sub)).toBeUndefined();
  },
);

async function setHasMethod(sub: string): Promise<void> {
  const update = { UpdateExpression: "SET has_payment_method = :true ADD version :one" };
  const ExpressionAttributeValues = { ":true": true, ":one": 1 };
  const command = {
    TableName: tableName,
    Key: customerRecord.key({ owner_sub: sub }),
    ...update,
    ExpressionAttributeValues,
  };
  await opened.document.send(new UpdateCommand(command));
}

test("a workspace that an owner opens while there are debts starts suspended, and is resumed when they are paid", async () => {
  const { sub } = await anOwner();
  const [first, second] = await tenantsOf(sub, 2);
  const { setUp } = product();
  await setUp(first?.tenant_id ?? "");
  const Key = customerRecord.key({ owner_sub: sub });
  const owing = { UpdateExpression: "SET owes = :o", ExpressionAttributeValues: { ":o": ["in_1"] } };
  await opened.document.send(new UpdateCommand({ TableName: tableName, Key, ...owing }));
  await setUp(second?.tenant_id ?? "");
  const tenant = await opened.stores.tenants.get(second?.tenant_id ?? "");
  expect(tenant).toMatchObject({ status: "suspended", suspended_reason: unpaidReason, setup_state: { pending: [] } });
});
