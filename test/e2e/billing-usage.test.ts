// Usage on its way to Stripe through the local stack: what the ledger says is what the invoices bill, though Stripe was down.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { keys } from "../../adapters/dynamodb/schema.ts";
import { nextMonth } from "../../domain/period.ts";
import type { LedgerRow } from "../../domain/spending/ledger.ts";
import { consoleToken } from "../../local/demo/app-client.ts";
import { addPaymentMethod, callControlPlane, openWorkspace, signUp } from "../../local/demo/workspace.ts";
import type { Person } from "../../local/running-stack.ts";
import { type Stack, startLocal } from "../../local/stack.ts";
import { itemAt, ledgerOf, runMeter, settled, workedOff } from "../support/accounting.ts";
import { ask } from "../support/proxy-client.ts";

const hourMs = 3_600_000;
let stack: Stack;
beforeAll(async () => {
  stack = await startLocal({ port: 0, ephemeral: true });
});
afterEach(() => stack.faults.clear());
afterAll(() => stack.stop());

const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1_000 };

/** A paying workspace, with a key for it. */
async function open(owner: Person, name: string) {
  const { tenant_id, slug } = await openWorkspace(stack, owner, name);
  await addPaymentMethod(stack, owner, tenant_id);
  const body = { name: "CI", kind: "service_account", grant: limits };
  const token = await consoleToken(stack, owner);
  const { key } = (await callControlPlane(stack, token, "POST", "/v1/keys", body)) as { key: string };
  return { tenant_id, slug, key, rows: [] as LedgerRow[] };
}
type Workspace = Awaited<ReturnType<typeof open>>;

async function use(workspace: Workspace, calls: number): Promise<void> {
  const { slug, key, tenant_id, rows } = workspace;
  const at = stack.clock.now();
  const before = (await ledgerOf(stack, at, tenant_id)).length;
  for (let call = 0; call < calls; call++) {
    const response = await ask(stack, { max_tokens: 100 + call }, { slug, key });
    expect(response.status).toBe(200);
    await response.text();
    await settled(stack);
  }
  rows.push(...(await ledgerOf(stack, at, tenant_id)).slice(before));
}

async function passHours(count: number): Promise<void> {
  for (let hour = 0; hour < count; hour++) {
    stack.clock.advance(hourMs);
    await runMeter(stack);
    await stack.schedules.run("reporting");
    await workedOff(stack);
  }
}

/** By all of its invoices, in micro-USD. */
async function invoiced({ tenant_id }: Workspace): Promise<number> {
  const row = await itemAt(stack, keys.tenant(tenant_id));
  const ofTenant = stack.stripe.account.invoices
    .all()
    .filter(({ parent }) => parent?.subscription_details?.subscription === row?.stripe_subscription_id);
  return ofTenant.flatMap(({ lines }) => lines.data).reduce((sum, { quantity }) => sum + (quantity ?? 0), 0);
}
const ledgerSum = ({ rows }: Workspace) => Math.floor(rows.reduce((sum, { cost }) => sum + cost, 0) / 1_000);

test("two workspaces of an owner are billed their own usage once, though Stripe was down for two hours", async () => {
  const ann = await signUp(stack, "ann@usage.example");
  const [one, other] = [await open(ann, "First"), await open(ann, "Second")];
  await use(one, 2);
  await use(other, 1);
  const down = { service: "stripe", operation: "v2.billing.meterEvents.create", kind: "error" as const };
  stack.faults.put([{ ...down, when: "after", times: 1_000 }]);
  await passHours(1);
  await use(one, 1);
  await passHours(1);
  stack.faults.clear();
  await passHours(2);
  await use(other, 2);
  await passHours(2);
  expect([one.rows.length, other.rows.length]).toEqual([3, 3]);
  stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + 5 * 24 * hourMs);
  await stack.stripe.idle();
  expect(await invoiced(one)).toBe(ledgerSum(one));
  expect(await invoiced(other)).toBe(ledgerSum(other));
  expect(await invoiced(one)).toBeGreaterThan(0);
}, 120_000);
