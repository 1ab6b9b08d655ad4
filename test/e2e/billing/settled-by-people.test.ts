// What people at the platform settle by hand at the payment provider, and what takes days there, through the whole stack.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type Stripe from "stripe";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { stripeClient } from "../../../adapters/stripe/client.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, settled, workedOff } from "../../support/accounting/accounting.ts";
import {
  type BilledWorkspace,
  invoicesOf,
  openBilled,
  passHours,
  told,
  use,
} from "../../support/billing/billed-workspace.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

const dayMs = 86_400_000;
const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };
const declining = { ...card, number: "4000000000000341" };
const bankAccount = { ...card, number: "DE89370400440532013000" };
const emptyAccount = { ...card, number: "DE62370400440532013001" };

let stack: Stack;
let sdk: Stripe;
beforeAll(async () => {
  stack = await startSeeded({ config: { "archway:trialCap": "10" } });
  sdk = stripeClient({ secretKey: "sk_test_local", address: stack.at("stripe") });
});
afterEach(async () => {
  stack.bedrock.clear();
  stack.stripe.configure({ same_fingerprints: false });
  await settled(stack);
});
afterAll(() => stack.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
async function api(person: Person, method: string, path: string): Promise<any> {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}` };
  const text = await (await fetch(stack.at("api") + path, { method, headers })).text();
  return text === "" ? undefined : JSON.parse(text);
}

async function onPage(owner: Person, form: Record<string, string>): Promise<void> {
  const { url } = await api(owner, "POST", "/v1/billing/setup");
  await fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
  await told(stack);
}

/** A workspace of an owner with this method that has used what may be unpaid. */
async function usedUp(email: string, method: typeof card): Promise<BilledWorkspace> {
  const owner = await signUp(stack, email);
  const workspace = await openBilled(stack, owner, email.split("@")[0] ?? "");
  await onPage(owner, method);
  stack.bedrock.configure({ outputTokens: 60_001, tokensPerEvent: 20_000 });
  for (let calls = 0; calls < 30; calls++) {
    if ((await use(stack, workspace, 64_000)) === "cap_reached") return workspace;
  }
  throw new Error("nothing ends it");
}

const unpaidOf = async ({ owner }: BilledWorkspace) => (await api(owner, "GET", "/v1/billing")).unpaid;
const statusOf = async ({ tenant_id }: BilledWorkspace) =>
  (await itemAt(stack, tenantRecord.key({ tenant_id })))?.status;

/** The early invoice is open, and its retries are over. */
async function givenUp(workspace: BilledWorkspace): Promise<string> {
  await passHours(stack, 2);
  await told(stack);
  for (let week = 0; week < 3; week++) {
    stack.clock.advance(7 * dayMs);
    await told(stack);
  }
  const [customer] = (await sdk.customers.list({ email: workspace.owner.email })).data;
  const [open] = (await sdk.invoices.list({ customer: customer?.id ?? "", status: "open" })).data;
  expect(await statusOf(workspace)).toBe("suspended");
  return open?.id ?? "";
}

test.each([
  ["made void", "void@pays.example", (id: string) => sdk.invoices.voidInvoice(id), 10],
  [
    "marked as paid out of band",
    "transfer@pays.example",
    (id: string) => sdk.invoices.pay(id, { paid_out_of_band: true }),
    // Four times what was paid beside the trial's cap.
    40,
  ],
])("an invoice that people have %s ends the debt and counts as unpaid no more", async (_, email, settle, limit) => {
  const workspace = await usedUp(email, declining);
  const invoice = await givenUp(workspace);
  expect((await unpaidOf(workspace)).used_usd).toBeGreaterThan(9);
  await settle(invoice);
  await told(stack);
  expect(await statusOf(workspace)).toBe("active");
  const { limit_usd, used_usd } = await unpaidOf(workspace);
  expect([used_usd < 1, limit_usd >= limit, limit_usd < limit + 11]).toEqual([true, true, true]);
  stack.bedrock.clear();
  expect(await use(stack, workspace, 1_000)).toBe(200);
});

test("an invoice that is paid by a gift to the customer's balance no longer counts as unpaid, and does not increase trust", async () => {
  const workspace = await usedUp("gift@pays.example", declining);
  const [customer] = (await sdk.customers.list({ email: workspace.owner.email })).data;
  await sdk.customers.createBalanceTransaction(customer?.id ?? "", { amount: -10_000, currency: "usd" });
  await passHours(stack, 2);
  await told(stack);
  const { limit_usd, used_usd } = await unpaidOf(workspace);
  expect([limit_usd, used_usd < 1]).toEqual([10, true]);
});

test("a card that pays gives three times the trial's cap in a week, more afterwards, and no limitless tier before a month", async () => {
  const workspace = await usedUp("pays@young.example", card);
  for (let invoices = 0; invoices < 4; invoices++) {
    await passHours(stack, 2);
    await told(stack);
    stack.bedrock.configure({ outputTokens: 60_001, tokensPerEvent: 20_000 });
    while ((await use(stack, workspace, 64_000)) === 200);
  }
  const used = workspace.rows.reduce((sum, { cost }) => sum + cost, 0) / 1e9;
  // Free credit pays a part of it.
  expect([used > 25, used <= 31]).toEqual([true, true]);
  expect((await unpaidOf(workspace)).limit_usd).toBeLessThan(10);
  stack.clock.advance(7 * dayMs);
  await stack.schedules.run("reconcile");
  await workedOff(stack);
  await told(stack);
  expect((await unpaidOf(workspace)).limit_usd).toBeGreaterThan(60);
  expect((await itemAt(stack, tenantRecord.key({ tenant_id: workspace.tenant_id })))?.tier).toBe("starter");
});

test("one card used with two addresses has one trial", async () => {
  stack.stripe.configure({ same_fingerprints: true });
  const first = await usedUp("one@card.example", declining);
  const owner = await signUp(stack, "two@card.example");
  const second = await openBilled(stack, owner, "Two");
  await onPage(owner, declining);
  stack.bedrock.configure({ outputTokens: 60_001, tokensPerEvent: 20_000 });
  expect(await use(stack, second, 64_000)).toBe("cap_reached");
  const [one, two] = [await unpaidOf(first), await unpaidOf(second)];
  expect([one.limit_usd, two.limit_usd < 1]).toEqual([10, true]);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("a debt that an owner leaves is reported with its amount, and reduces the next trial until people settle it", async () => {
  const other = { ...declining, number: "4000002760003184" };
  const left = await usedUp("leaves@owing.example", other);
  const [customer] = (await sdk.customers.list({ email: left.owner.email })).data;
  await api(left.owner, "DELETE", `/v1/tenants/${left.tenant_id}`);
  for (let day = 0; day < 18; day++) {
    stack.clock.advance(dayMs);
    for (const schedule of ["meter", "reconcile", "purge"]) await stack.schedules.run(schedule);
    await workedOff(stack);
  }
  const gone = await sdk.customers.retrieve(customer?.id ?? "");
  expect(gone.deleted).toBe(true);
  const { data: trail } = await api(
    stack.demo?.platform_admin as Person,
    "GET",
    "/v1/audit/platform?action=billing.debt_left",
  );
  expect(trail).toMatchObject([
    { target: left.owner.sub, after: { customer_id: customer?.id, cents: expect.any(Number) } },
  ]);
  const { cents } = trail[0].after;
  expect(cents).toBeGreaterThan(800);
  // The same box under another form, and a card that works.
  const again = await signUp(stack, "leaves+2@owing.example");
  const workspace = await openBilled(stack, again, "Again");
  await onPage(again, { ...card, number: "5555555555554444" });
  expect((await unpaidOf(workspace)).limit_usd).toBeCloseTo(10 - cents / 100, 1);
  const { data: open } = await sdk.invoices.list({ customer: customer?.id ?? "", status: "open" });
  for (const { id } of open) await sdk.invoices.voidInvoice(id);
  stack.clock.advance(dayMs + 3_600_000);
  await stack.schedules.run("reconcile");
  await workedOff(stack);
  expect((await unpaidOf(workspace)).limit_usd).toBe(10);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("a pending bank debit suspends no workspace, and one that fails does once its retries are over", async () => {
  const good = await usedUp("debit@pays.example", bankAccount);
  const bad = await usedUp("empty@pays.example", emptyAccount);
  await passHours(stack, 2);
  await told(stack);
  for (const workspace of [good, bad]) {
    const [customer] = (await sdk.customers.list({ email: workspace.owner.email })).data;
    const [invoice] = (await sdk.invoices.list({ customer: customer?.id ?? "", status: "open" })).data;
    expect(invoice).toMatchObject({ status: "open", next_payment_attempt: null });
    await api(workspace.owner, "GET", "/v1/billing");
  }
  await stack.schedules.run("reconcile");
  await workedOff(stack);
  expect([await statusOf(good), await statusOf(bad)]).toEqual(["active", "active"]);
  for (let week = 0; week < 8; week++) {
    stack.clock.advance(7 * dayMs);
    await told(stack);
  }
  expect([await statusOf(good), await statusOf(bad)]).toEqual(["active", "suspended"]);
  expect((await invoicesOf(stack, good)).map(({ status }) => status)).not.toContain("open");
  expect((await unpaidOf(good)).used_usd).toBeLessThan(1);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});
