// Billing from a workspace's creation to its purge: one customer, a subscription for each workspace, whatever is cut off; a deletion
// bills what was used, and nothing of an owner stays behind the last workspace.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { customerRecord } from "../../../adapters/dynamodb/billing/customer.record.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { stripeClient } from "../../../adapters/stripe/client.ts";
import type { FaultInput } from "../../../emulators/aws/faults.ts";
import { aMeteredPrice, aSubscription } from "../../../emulators/test/support/local-stripe.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { addPaymentMethod, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import {
  itemAt,
  ledgerSince,
  runMeter,
  runReporting,
  settled,
  workedOff,
} from "../../support/accounting/accounting.ts";
import { microUsdOf, toBill } from "../../support/billing/billed-workspace.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { few, longTest } from "../../support/sizes.ts";

const hourMs = 3_600_000;
let stack: Stack;
beforeAll(async () => {
  const config = { "archway:limits": JSON.stringify({ workspaces: 20 }) };
  stack = await startSeeded({ config });
});
afterAll(() => stack.stop());
afterEach(() => stack.faults.clear());

async function call(person: Person, method: string, path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${await consoleToken(stack, person)}`,
    "idempotency-key": randomUUID(),
    ...(body && { "content-type": "application/json" }),
  };
  const response = await fetch(stack.at("api") + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}
const create = async (owner: Person, name: string) => (await call(owner, "POST", "/v1/tenants", { name })).body;

const account = () => stack.stripe.account;
const customersOf = (owner: Person) =>
  account()
    .customers.all()
    .filter(({ customer, deleted }) => customer.metadata.owner_sub === owner.sub && !deleted);
const subscriptionsOf = (tenantId: string) =>
  account()
    .subscriptions.all()
    .filter(({ metadata }) => metadata.tenant_id === tenantId);
const tenantRow = (tenantId: string) => itemAt(stack, tenantRecord.key({ tenant_id: tenantId }));

/** One customer of the owner, one subscription of each workspace, on a meter of its own. */
async function expectWhole(owner: Person, ...tenantIds: string[]): Promise<void> {
  const [customer, ...more] = customersOf(owner);
  expect(more).toEqual([]);
  const slots: unknown[] = [];
  for (const tenantId of tenantIds) {
    const [subscription, ...others] = subscriptionsOf(tenantId);
    expect(others).toEqual([]);
    const row = await tenantRow(tenantId);
    expect(row).toMatchObject({ stripe_customer_id: customer?.id, stripe_subscription_id: subscription?.id });
    expect(row?.setup_pending).toBeUndefined();
    expect(subscription?.items.data[0]?.price.lookup_key).toBe(`usage_usd_${row?.billing_slot}`);
    slots.push(row?.billing_slot);
  }
  expect(new Set(slots).size).toBe(tenantIds.length);
}

/** Jobs that are due, those of runs that failed included, and what the hourly schedule finds. */
async function reconcileAll(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    stack.clock.advance(600_000);
    await stack.schedules.run("reconcile");
    await stack.queuePoller.idle();
  }
}

/** Hours are closed, their reports sent and looked for, and what waits for them goes on. */
async function passHours(count: number): Promise<void> {
  for (let hour = 0; hour < count; hour++) {
    stack.clock.advance(hourMs);
    await runMeter(stack);
    for (let round = 0; round < 2; round++) {
      await runReporting(stack);
    }
    await stack.schedules.run("reconcile");
    await workedOff(stack);
  }
}

test("an owner's workspaces have one customer, and a subscription each, whose periods begin on the first of a month", async () => {
  const owner = await signUp(stack, "two@billing.example");
  const first = await create(owner, "First of two");
  expect(first.setup_state.pending).toEqual([]);
  const second = await create(owner, "Second of two");
  await expectWhole(owner, first.tenant_id, second.tenant_id);
  const [subscription] = subscriptionsOf(second.tenant_id);
  expect(second.stripe_subscription_id).toBe(subscription?.id);
  expect([Object.keys(second).filter((name) => /customer|slot/.test(name))]).toEqual([[]]);
  expect(subscription?.billing_mode.type).toBe("flexible");
  expect(new Date((subscription?.billing_cycle_anchor ?? 0) * 1000).toISOString()).toMatch(/-01T00:00:00/);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

const stripe = (operation: string): Omit<FaultInput, "when"> => ({
  service: "stripe",
  operation,
  kind: "error",
  times: 9,
});
const store = (operation: string, match: string): Omit<FaultInput, "when"> => ({
  service: "dynamodb",
  operation,
  match,
  kind: "error",
  times: 9,
});

describe.each(["before", "after"] as const)("what bills fails %s it took effect", (when) => {
  const acts: [string, Omit<FaultInput, "when">][] = [
    ["making the customer", stripe("customers.create")],
    ["recording the subscription", store("TransactWriteItems", "stripe_subscription_id")],
    ["looking for the customer", stripe("customers.list")],
    ["keeping the customer", store("UpdateItem", "BILLING#")],
    ["recording the customer", store("TransactWriteItems", "stripe_customer_id")],
    ["claiming the slot", store("TransactWriteItems", "billing_slot")],
    ["looking for the subscription", stripe("subscriptions.list")],
    ["making the subscription", stripe("subscriptions.create")],
    ["the secret", { service: "secretsmanager", operation: "GetSecretValue", kind: "error", times: 9 }],
  ];

  test.each(few(2, acts))(
    "a new workspace with a failing billing step is open at once, and complete a little later: %s",
    async (what, fault) => {
      const owner = await signUp(stack, `${what.replaceAll(" ", "-")}-${when}@billing.example`);
      // Nothing that an earlier test's instance has kept.
      if (fault.service === "secretsmanager") stack.functions.byName("payments-local").kill();
      stack.faults.put([{ ...fault, when }]);
      const { status, body } = await call(owner, "POST", "/v1/tenants", { name: `${what} ${when}` });
      expect(status).toBe(201);
      expect(stack.faults.list().map(({ struck }) => struck > 0)).toEqual([true]);
      stack.faults.clear();
      await reconcileAll();
      await expectWhole(owner, body.tenant_id);
      expect(stack.queues.byName("reconcile-jobs-dead-letters-local").counts().visible).toBe(0);
    },
  );
});

longTest(
  "a workspace whose customer has another currency has no subscription, and raises an alarm until that is mended",
  async () => {
    const owner = await signUp(stack, "euros@billing.example");
    const first = await create(owner, "In dollars");
    // A creation answers after some seconds whatever the payments' function still does: on a slow machine a job makes the subscription.
    if (first.setup_state.pending.length > 0) await reconcileAll();
    // By hand, in the dashboard.
    const sdk = stripeClient({ secretKey: "sk_test_local", address: stack.at("stripe") });
    const [dollars] = subscriptionsOf(first.tenant_id);
    await sdk.subscriptions.cancel(dollars?.id ?? "");
    const { price } = await aMeteredPrice(sdk, 1, "eur");
    const { subscription: euros } = await aSubscription(sdk, price.id, dollars?.customer);

    const { status, body } = await call(owner, "POST", "/v1/tenants", { name: "In euros" });
    expect(status).toBe(201);
    expect(body.setup_state.pending).toContain("stripe_subscription");
    const dead = () => stack.queues.byName("reconcile-jobs-dead-letters-local").counts().visible;
    for (let hour = 0; hour < 3 && dead() === 0; hour++) await reconcileAll();
    expect(dead()).toBeGreaterThan(0);
    expect(subscriptionsOf(body.tenant_id)).toEqual([]);
    const told = stack.logs.lines().filter(({ line }) => line.includes("currency_mismatch"));
    expect(told[0]?.line).toContain(body.tenant_id);

    await sdk.subscriptions.cancel(euros.id);
    // Stripe gives the same answer under the same key for a day.
    stack.clock.advance(25 * hourMs);
    await reconcileAll();
    await expectWhole(owner, body.tenant_id);
    expect(customersOf(owner)).toHaveLength(1);
  },
);

async function aUsedWorkspace(owner: Person, name: string) {
  const { tenant_id, slug } = await create(owner, name);
  if (!(await tenantRow(tenant_id))?.has_payment_method) await addPaymentMethod(stack, owner);
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 5 };
  const { body: made } = await call(owner, "POST", "/v1/keys", { name: "CI", kind: "service_account", grant });
  const use = async () => {
    const response = await fetch(`${stack.at(`${slug}.proxy`)}/vendor/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": made.key },
      body: JSON.stringify({
        model: "claude-opus-5-5",
        max_tokens: 8_000,
        messages: [{ role: "user", content: "Write a long story. ".repeat(5_000) }],
      }),
    });
    expect(response.status).toBe(200);
    await response.text();
    await settled(stack);
  };
  return { tenant_id: tenant_id as string, use };
}

test("a workspace that is used and deleted before its subscription can be created is reported each hour, and billed to its end", async () => {
  const owner = await signUp(stack, "unsubscribed@billing.example");
  await create(owner, "With a subscription");
  await addPaymentMethod(stack, owner);
  stack.faults.put([{ ...stripe("subscriptions.create"), when: "before", times: 100_000 }]);
  const { tenant_id, use } = await aUsedWorkspace(owner, "Without one");
  expect(await tenantRow(tenant_id)).toMatchObject({ status: "active", has_payment_method: true });
  const at = stack.clock.now();
  for (let calls = 0; calls < 3; calls++) await use();
  const owed = toBill({ rows: await ledgerSince(stack, at, tenant_id) });
  await passHours(2);
  const told = stack.logs.lines().filter(({ line }) => line.includes("no_subscription") && line.includes(tenant_id));
  expect(told.map(({ line }) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ usage_unbilled: 1, reason: "no_subscription", quantity: String(owed) }),
  );
  expect((await call(owner, "DELETE", `/v1/tenants/${tenant_id}`)).status).toBe(204);
  await passHours(3);
  stack.faults.clear();
  await passHours(2);
  expect([subscriptionsOf(tenant_id), owed > 0]).toEqual([[], true]);
  const invoices = account()
    .invoices.all()
    .filter(({ metadata }) => metadata?.tenant_id === tenant_id);
  expect(invoices.map(({ status }) => status)).toEqual(["paid"]);
  expect(invoices.flatMap(({ lines }) => lines.data).reduce((sum, line) => sum + microUsdOf(line), 0)).toBe(owed);
});

test("deleting a workspace bills its usage and then cancels the subscription; the purge of the last workspace deletes the customer", async () => {
  const owner = await signUp(stack, "end@billing.example");
  const { tenant_id, use } = await aUsedWorkspace(owner, "To its end");
  const customerId = customersOf(owner)[0]?.id ?? "";
  await use();
  await passHours(2);
  await use();
  expect((await call(owner, "DELETE", `/v1/tenants/${tenant_id}`)).status).toBe(204);
  // What was used in this hour is not closed yet.
  stack.clock.advance(901_000);
  await stack.queuePoller.idle();
  expect(subscriptionsOf(tenant_id)).toMatchObject([{ ended_at: null }]);
  await passHours(3);
  expect(subscriptionsOf(tenant_id)).toMatchObject([{ status: "canceled" }]);
  const invoices = account()
    .invoices.all()
    .filter(({ customer }) => customer === customerId);
  expect(invoices).toHaveLength(1);
  expect(invoices[0]?.status).not.toBe("draft");
  const quantity = invoices[0]?.lines.data.reduce((sum, line) => sum + microUsdOf(line), 0) ?? 0;
  expect(quantity).toBeGreaterThan(0);
  expect(customersOf(owner)).toHaveLength(1);

  stack.clock.advance(14 * 24 * hourMs);
  await stack.schedules.run("purge");
  await stack.queuePoller.idle();
  expect(await tenantRow(tenant_id)).toBeUndefined();
  expect(customersOf(owner)).toEqual([]);
  expect(await itemAt(stack, customerRecord.key({ owner_sub: owner.sub }))).toBeUndefined();
});

test("the customer stays for a remaining workspace, and the billing slot is free after the purge", async () => {
  const owner = await signUp(stack, "left@billing.example");
  const [first, second] = [await create(owner, "Left one"), await create(owner, "Left two")];
  expect((await call(owner, "DELETE", `/v1/tenants/${first.tenant_id}`)).status).toBe(204);
  const admin = stack.demo?.platform_admin as Person;
  expect((await call(admin, "DELETE", `/v1/tenants/${first.tenant_id}/purge`)).status).toBe(202);
  const third = await create(owner, "Left three");
  expect(await tenantRow(third.tenant_id)).toMatchObject({ billing_slot: 3 });
  for (let round = 0; round < 3; round++) {
    stack.clock.advance(901_000);
    await stack.schedules.run("purge");
    await stack.queuePoller.idle();
  }
  expect(await tenantRow(first.tenant_id)).toBeUndefined();
  expect(subscriptionsOf(first.tenant_id)).toMatchObject([{ status: "canceled" }]);
  const fourth = await create(owner, "Left four");
  expect(await tenantRow(fourth.tenant_id)).toMatchObject({ billing_slot: 1 });
  await expectWhole(owner, second.tenant_id, third.tenant_id, fourth.tenant_id);
});
