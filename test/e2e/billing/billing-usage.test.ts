// Usage on its way to paid invoices through the local stack, with the functions that meter and report at work: months of an owner, a
// workspace that goes while its sibling owes, two hours without Stripe. What the ledger says is what the invoices bill.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { unpaidReason } from "../../../domain/billing/debt.ts";
import { nextMonth } from "../../../domain/kernel/period.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, naming, workedOff } from "../../support/accounting/accounting.ts";
import {
  type BilledWorkspace,
  closeMonth,
  invoiced,
  invoicesOf,
  microUsdOf,
  openBilled,
  passHours,
  toBill,
  told,
  use,
} from "../../support/billing/billed-workspace.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { isLong, longTest } from "../../support/sizes.ts";
import { financeSuite } from "./finance.suite.ts";

const dayMs = 86_400_000;
const markup = 1.234567;
const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };

let stack: Stack;
beforeAll(async () => {
  const secretArn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:archway/stripe-Local1";
  const stripe = { secretArn, markup, tax: "automatic" };
  stack = await startSeeded({ config: { "archway:stripe": JSON.stringify(stripe) } });
});
// On a second at ten past midnight, whatever the machine's date is: within a test the month ends when the test says so.
beforeEach(() => stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + dayMs + 600_000));
afterEach(() => {
  stack.faults.clear();
  stack.bedrock.clear();
  stack.stripe.configure({ usage_lag_seconds: 0 });
});
afterAll(() => stack.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
type Answer = any;

async function api(person: Person, method: string, path: string): Promise<{ status: number; body: Answer }> {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}` };
  const response = await fetch(stack.at("api") + path, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** On the page that the owner is led to. */
async function onPage(owner: Person, page: "setup" | "portal", form: Record<string, string>): Promise<void> {
  const { body } = await api(owner, "POST", `/v1/billing/${page}`);
  const sent = await fetch(body.url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
  expect(sent.status).toBe(303);
  await told(stack);
}

const tenantOf = ({ tenant_id }: BilledWorkspace) => itemAt(stack, tenantRecord.key({ tenant_id }));

/** A call that costs more than the least amount that is charged, closed and reported within its month. */
async function aMonthsUsage(workspace: BilledWorkspace): Promise<void> {
  stack.bedrock.configure({ outputTokens: 60_001, tokensPerEvent: 20_000 });
  expect(await use(stack, workspace, 64_000)).toBe(200);
  await passHours(stack, 1);
}

/** All invoices together bill what the ledger has, and each line's amount is its quantity, rounded to the cent. */
async function expectBilled(workspace: BilledWorkspace): Promise<void> {
  expect(await invoiced(stack, workspace)).toBe(toBill(workspace, markup));
  for (const { total, lines } of await invoicesOf(stack, workspace)) {
    expect(total).toBe(lines.data.reduce((sum, line) => sum + Math.round(microUsdOf(line) / 10_000), 0));
  }
}
const statuses = async (workspace: BilledWorkspace) => (await invoicesOf(stack, workspace)).map(({ status }) => status);

const openInvoices = async (owner: Person) =>
  (await api(owner, "GET", "/v1/billing")).body.payments.invoices.filter((one: Answer) => one.status === "open");

/** What the owner sees, and what callers meet. */
async function expectSuspended(workspace: BilledWorkspace, due: number): Promise<void> {
  const { owner, tenant_id } = workspace;
  expect((await api(owner, "GET", "/v1/tenants/my")).body.error.message).toContain(`suspended: ${unpaidReason}`);
  const { body } = await api(owner, "GET", `/v1/tenants/${tenant_id}`);
  expect(body).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
  expect(await openInvoices(owner)).toEqual([expect.objectContaining({ due })]);
  expect(await use(stack, workspace)).toBe("tenant_suspended");
}

async function expectResumed(workspace: BilledWorkspace): Promise<void> {
  expect((await api(workspace.owner, "GET", "/v1/tenants/my")).body).toMatchObject({ status: "active" });
  expect(await openInvoices(workspace.owner)).toEqual([]);
  expect(await use(stack, workspace)).toBe(200);
}

const subscriptionsOf = (customerId: string) =>
  stack.stripe.account.subscriptions.all().filter(({ customer }) => customer === customerId);

/** Deletes the workspace, and waits until its billing is over. */
async function end({ owner, tenant_id }: BilledWorkspace): Promise<void> {
  const subscriptionId = (await itemAt(stack, tenantRecord.key({ tenant_id })))?.stripe_subscription_id;
  expect((await api(owner, "DELETE", `/v1/tenants/${tenant_id}`)).status).toBe(204);
  const isOver = () => stack.stripe.account.subscriptions.get(String(subscriptionId))?.status === "canceled";
  for (let hour = 0; hour < 4 && !isOver(); hour++) {
    await passHours(stack, 1);
    await stack.schedules.run("reconcile");
    await workedOff(stack);
  }
  expect(isOver()).toBe(true);
  await told(stack);
}

/** Months in which nothing happens but usage and its invoice, before and after those in which something does: a year in all, or less. */
const [plainBefore, plainAfter] = isLong ? [5, 3] : [1, 0];
const months = plainBefore + 3 + plainAfter + 1;

test("a workspace goes through credit, card, invoices, a lost card, suspension, payment, deletion and purge", async () => {
  const owner = await signUp(stack, "owner@year.example");
  const workspace = await openBilled(stack, owner, "A year");
  const opened = stack.clock.now();

  // Free credit first: what it pays is on no invoice.
  stack.bedrock.configure({ outputTokens: freeCreditTokens, tokensPerEvent: 5_000 });
  expect(await use(stack, workspace, freeCreditTokens)).toBe(200);
  expect(await use(stack, workspace)).toBe("credit_exhausted");
  expect(toBill(workspace)).toBe(0);
  const customerId = String((await tenantOf(workspace))?.stripe_customer_id);
  // The page asks for the address that automatic tax needs.
  const isTaxed = () => subscriptionsOf(customerId).map(({ automatic_tax }) => automatic_tax.enabled);
  expect(isTaxed()).toEqual([false]);
  await onPage(owner, "setup", card);
  expect(isTaxed()).toEqual([true]);
  for (let month = 1; month <= plainBefore; month++) {
    await aMonthsUsage(workspace);
    await closeMonth(stack);
    await expectBilled(workspace);
    expect(await statuses(workspace)).toEqual(Array(month).fill("paid"));
  }

  // The last card is taken away: back on free credit, which is spent; what was used is owed, and nobody tries to collect it.
  await aMonthsUsage(workspace);
  const [method] = stack.stripe.account.paymentMethods.all().filter(({ customer }) => customer === customerId);
  await onPage(owner, "portal", { action: "remove", method: method?.id ?? "" });
  expect(await use(stack, workspace)).toBe("credit_exhausted");
  await closeMonth(stack);
  await expectBilled(workspace);
  const owed = (await invoicesOf(stack, workspace))[plainBefore];
  await expectSuspended(workspace, (owed?.amount_due ?? 0) / 100);
  await onPage(owner, "setup", card);
  await expectResumed(workspace);

  // A card that fails, from one month's end into the next month: three more attempts, then suspended. Another card pays.
  await onPage(owner, "portal", { action: "add", ...card, number: "4000000000000341" });
  await aMonthsUsage(workspace);
  await closeMonth(stack);
  expect((await tenantOf(workspace))?.status).toBe("active");
  await closeMonth(stack, 0);
  const [unpaid] = (await invoicesOf(stack, workspace)).filter(({ status }) => status === "open");
  await expectSuspended(workspace, (unpaid?.amount_due ?? 0) / 100);
  await onPage(owner, "portal", { action: "add", ...card });
  await expectResumed(workspace);

  for (let month = 0; month < plainAfter; month++) {
    await aMonthsUsage(workspace);
    await closeMonth(stack);
    await expectBilled(workspace);
  }
  await closeMonth(stack);
  expect(await statuses(workspace)).toEqual(Array(months).fill("paid"));
  expect(stack.clock.now() - opened).toBeGreaterThan(months * 30 * dayMs);

  // What was used in the last hours is billed before the subscription ends.
  await aMonthsUsage(workspace);
  expect(await use(stack, workspace)).toBe(200);
  await end(workspace);
  await expectBilled(workspace);
  expect(new Set(await statuses(workspace))).toEqual(new Set(["paid"]));
  const { tenant_id } = workspace;
  expect(await naming(stack, tenant_id)).not.toEqual([]);
  stack.clock.advance(14 * dayMs);
  await stack.schedules.run("purge");
  await workedOff(stack);
  // DynamoDB's own part: the ledger of months that are long over.
  await stack.dynamodb.sweep();
  for (const id of [tenant_id, owner.sub, owner.email, customerId]) {
    // The audit trail outlives the purge by its own retention.
    expect((await naming(stack, id)).filter((pk) => !pk.startsWith("AUDIT#"))).toEqual([]);
  }
  expect(stack.cognito.subOf(owner.email)).toBeUndefined();
  // Stripe keeps invoices and payments (README), and nothing that could go on.
  expect(stack.stripe.account.customers.get(customerId)?.deleted).toBe(true);
  expect(stack.stripe.account.paymentMethods.all().filter(({ customer }) => customer === customerId)).toEqual([]);
  expect(subscriptionsOf(customerId).map(({ status }) => status)).toEqual(["canceled"]);
  stack.clock.advance(30 * dayMs);
  expect(stack.kms.keys().filter(({ tags }) => tags.tenant_id === tenant_id)).toEqual([]);
});

longTest(
  "two workspaces of an owner are each billed for their own usage once, even if one is deleted while the other's invoice is open",
  async () => {
    const owner = await signUp(stack, "owner@two.example");
    const [staying, going] = [await openBilled(stack, owner, "Staying"), await openBilled(stack, owner, "Going")];
    await onPage(owner, "setup", { ...card, number: "4000000000000341" });
    await aMonthsUsage(staying);
    await aMonthsUsage(going);
    await aMonthsUsage(going);
    await closeMonth(stack);
    for (const workspace of [staying, going]) await expectBilled(workspace);
    // Each has a free credit of its own, which pays for the first tokens of the first call.
    expect(toBill(going)).toBeGreaterThan(2 * toBill(staying));
    const [open] = await invoicesOf(stack, staying);
    expect(open).toMatchObject({ status: "open", next_payment_attempt: expect.any(Number) });

    // Cancelling stops the collection of both open invoices at Stripe; the deletion sets it going again.
    await aMonthsUsage(going);
    await end(going);
    for (const workspace of [staying, going]) await expectBilled(workspace);
    for (const invoice of [...(await invoicesOf(stack, staying)), ...(await invoicesOf(stack, going))]) {
      expect(invoice).toMatchObject({ status: "open", auto_advance: true });
    }
    await onPage(owner, "setup", card);
    expect([...(await statuses(staying)), ...(await statuses(going))]).toEqual(["paid", "paid", "paid"]);
    // The one that stays is billed on.
    await aMonthsUsage(staying);
    await closeMonth(stack);
    await expectBilled(staying);
    expect(await statuses(staying)).toEqual(["paid", "paid"]);
    expect((await tenantOf(staying))?.status).toBe("active");
    expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
  },
);

longTest(
  "two workspaces of an owner are each billed for their own usage once, even if Stripe was down for two hours",
  async () => {
    const owner = await signUp(stack, "ann@usage.example");
    const [one, other] = [await openBilled(stack, owner, "First"), await openBilled(stack, owner, "Second")];
    await onPage(owner, "setup", card);
    const calls = async (workspace: BilledWorkspace, count: number) => {
      for (let call = 0; call < count; call++) expect(await use(stack, workspace, 6_000 + call)).toBe(200);
    };
    // Two calls are more than the free credit, which pays for a part of the second.
    stack.bedrock.configure({ outputTokens: 5_001, tokensPerEvent: 1_000 });
    await calls(one, 2);
    await calls(other, 1);
    const down = { service: "stripe", operation: "v2.billing.meterEvents.create", kind: "error" as const };
    stack.faults.put([{ ...down, when: "after", times: 1_000 }]);
    await passHours(stack, 1);
    await calls(one, 1);
    await passHours(stack, 1);
    stack.faults.clear();
    await passHours(stack, 2);
    await calls(other, 2);
    await passHours(stack, 2);
    expect([one.rows.length, other.rows.length]).toEqual([3, 3]);
    await closeMonth(stack, 5);
    for (const workspace of [one, other]) await expectBilled(workspace);
    expect(await invoiced(stack, one)).toBeGreaterThan(0);
  },
);

longTest(
  "a stream over a month's end is on the invoice of its month, even if its usage is known a day and a half later",
  async () => {
    const owner = await signUp(stack, "bea@usage.example");
    const workspace = await openBilled(stack, owner, "At midnight");
    await onPage(owner, "setup", card);
    stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() - 10_000);
    stack.stripe.configure({ usage_lag_seconds: 36 * 3_600 });
    stack.bedrock.configure({ outputTokens: 60_001, tokensPerEvent: 20_000, millisecondsPerToken: 1_000 });
    const midnight = () => {
      stack.clock.advance(20_000);
      stack.bedrock.resume();
    };
    expect(await use(stack, workspace, 64_000, midnight)).toBe(200);
    await told(stack);
    // A first run keeps the invoice a draft, before it is final by itself after an hour.
    await passHours(stack, 1, 900_000);
    await passHours(stack, 40);
    stack.clock.advance(2 * dayMs);
    await told(stack);
    await expectBilled(workspace);
    const [invoice] = await invoicesOf(stack, workspace);
    expect(invoice?.status).toBe("paid");
    expect(microUsdOf(invoice?.lines.data[0] as never)).toBe(toBill(workspace, markup));
  },
);

financeSuite(() => stack, card);
