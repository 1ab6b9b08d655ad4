// An owner's way from free credit to a paid invoice, through the platform's own calls and the payment provider's own pages.
import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { customerRecord } from "../../../adapters/dynamodb/billing/customer.record.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import { unpaidReason } from "../../../domain/billing/debt.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, settled } from "../../support/accounting/accounting.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";
import { longTest } from "../../support/sizes.ts";

const day = 86_400_000;
const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };
const declining = { ...card, number: "4000000000000341" };

let stack: Stack;
beforeAll(async () => {
  stack = await startSeeded();
});
afterEach(async () => {
  stack.faults.clear();
  stack.bedrock.clear();
  stack.stripe.configure({ webhooks_held: false, webhook_copies: 1, webhook_order: "created" });
  await settled(stack);
});
afterAll(() => stack.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
type Answer = any;

let owners = 0;

/** A new workspace without a payment method, with a key that only the credit limits. */
async function openFree() {
  owners += 1;
  const owner = await signUp(stack, `owner@payer${owners}.example`);
  const { tenant_id, slug } = await openWorkspace(stack, owner, `Payer ${owners}`);
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1_000 };
  const body = { name: "one", kind: "service_account", grant };
  const { key } = (await callControlPlane(stack, await consoleToken(stack, owner), "POST", "/v1/keys", body)) as {
    key: string;
  };
  return { owner, tenant_id, slug, key };
}
type Free = Awaited<ReturnType<typeof openFree>>;

async function api(owner: Person, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${await consoleToken(stack, owner)}`, "content-type": "application/json" };
  const response = await fetch(stack.at("api") + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    location: response.headers.get("location"),
    body: (await response.json()) as Answer,
  };
}

async function call({ slug, key }: Free, changes: object = {}) {
  const response = await ask(stack, changes, { slug, key });
  const text = await response.text();
  return { status: response.status, code: response.ok ? undefined : JSON.parse(text).error.details?.error_code };
}

const tenantOf = async ({ tenant_id }: Free) => itemAt(stack, tenantRecord.key({ tenant_id }));
const submit = (url: string | null, form: Record<string, string>) =>
  fetch(url ?? "", { method: "POST", body: new URLSearchParams(form), redirect: "manual" });

/** Until everything that the provider has to tell is told; instances forget what they know of the workspace. */
async function told(): Promise<void> {
  await stack.stripe.idle();
  stack.clock.advance(61_000);
  await stack.stripe.idle();
}

/** Until the notices that wait a minute are mailed. */
async function mailed(): Promise<void> {
  stack.clock.advance(61_000);
  await stack.queuePoller.idle();
}

const accountOf = () => stripePayments({ secretKey: "sk_test_local", address: stack.at("stripe") });

async function use(free: Free, usd: number): Promise<string> {
  const { customer_id } = (await itemAt(stack, customerRecord.key({ owner_sub: free.owner.sub }))) as {
    customer_id: string;
  };
  const slot = Number((await tenantOf(free))?.billing_slot);
  const at = Math.floor(stack.clock.now() / 1000) * 1000;
  await accountOf().report({ customerId: customer_id, slot, at, value: usd * 1_000_000 });
  return customer_id;
}

/** The first second of the next month, then 72 hours and the attempts to collect. */
async function nextMonthIsBilled(days = 4): Promise<void> {
  const now = new Date(stack.clock.now());
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 0, 5);
  stack.clock.advance(next - stack.clock.now());
  await stack.stripe.idle();
  for (let n = 0; n < days; n++) {
    stack.clock.advance(day);
    await stack.stripe.idle();
  }
  await told();
}

describe("an owner", () => {
  test("an owner who has used the free credit adds a card on the provider's page, and calls are admitted again", async () => {
    const free = await openFree();
    stack.bedrock.configure({ outputTokens: freeCreditTokens, tokensPerEvent: 5_000 });
    expect((await call(free, { max_tokens: freeCreditTokens })).status).toBe(200);
    await settled(stack);
    expect(await call(free)).toEqual({ status: 429, code: "credit_exhausted" });
    const before = await api(free.owner, "GET", "/v1/billing");
    expect(before.body).toMatchObject({
      free_credit: { left_tokens: 0 },
      has_payment_method: false,
      payments: { state: "ready", subscription: { status: "active" }, invoices: [] },
    });

    const { status, location, body } = await api(free.owner, "POST", "/v1/billing/setup");
    expect([status, body.url]).toEqual([201, location]);
    const page = await (await fetch(location ?? "")).text();
    expect(page).toContain("Add a payment method");
    const back = (await submit(location, card)).headers.get("location");
    expect(back).toBe(`${stack.console}/billing?payment=added`);
    await told();
    expect(await tenantOf(free)).toMatchObject({ has_payment_method: true });
    stack.bedrock.clear();
    expect((await call(free)).status).toBe(200);
    expect((await api(free.owner, "GET", "/v1/billing")).body.has_payment_method).toBe(true);
  });

  test("an owner whose card is declined is suspended, pays the invoice in the portal, and is resumed, also with repeated and reversed events", async () => {
    const free = await openFree();
    stack.stripe.configure({ webhook_copies: 2, webhook_order: "reversed" });
    await submit((await api(free.owner, "POST", "/v1/billing/setup")).location, declining);
    await told();
    await use(free, 3);
    await nextMonthIsBilled();
    expect((await call(free)).status).toBe(200);
    // The last of the attempts.
    for (let n = 0; n < 4; n++) {
      stack.clock.advance(5 * day);
      await stack.stripe.idle();
    }
    await told();
    expect(await tenantOf(free)).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
    expect(await call(free)).toEqual({ status: 403, code: "tenant_suspended" });
    const { body } = await api(free.owner, "GET", "/v1/billing");
    const open = body.payments.invoices.filter((one: { status: string }) => one.status === "open");
    expect(open).toEqual([expect.objectContaining({ total: 3, due: 3, url: expect.stringContaining("/i/in_") })]);
    expect((await fetch(open[0].url)).status).toBe(200);

    const portal = await api(free.owner, "POST", "/v1/billing/portal");
    expect(portal.status).toBe(201);
    await submit(portal.location, { action: "add", ...card });
    await told();
    expect(await tenantOf(free)).toMatchObject({ status: "active", has_payment_method: true });
    expect((await call(free)).status).toBe(200);
    const invoices = (await api(free.owner, "GET", "/v1/billing")).body.payments.invoices;
    expect(invoices.map(({ status }: { status: string }) => status)).not.toContain("open");
  });

  test("an owner gets mails about final invoices, a failing card, the suspension and its end, at addresses that the owner chose", async () => {
    const free = await openFree();
    const subjects = (to: string) => stack.mailbox.mails(to).map(({ subject }) => subject);
    const slug = free.slug;
    await submit((await api(free.owner, "POST", "/v1/billing/setup")).location, declining);
    await told();
    await use(free, 3);
    await nextMonthIsBilled(1);
    await mailed();
    // Both happen at once here, and mails may overtake each other.
    expect(subjects(free.owner.email).slice(-2).toSorted()).toEqual([
      `A payment failed (${slug})`,
      `An invoice of 3.00 USD (${slug})`,
    ]);
    const contact = { billing_emails: ["books@payer.example"] };
    expect((await api(free.owner, "PATCH", "/v1/billing", contact)).status).toBe(200);
    for (let n = 0; n < 4; n++) {
      stack.clock.advance(5 * day);
      await stack.stripe.idle();
      await mailed();
    }
    await submit((await api(free.owner, "POST", "/v1/billing/portal")).location, { action: "add", ...card });
    await told();
    await mailed();
    expect(await tenantOf(free)).toMatchObject({ status: "active" });
    expect(subjects("books@payer.example")).toEqual([
      // The schedule has three attempts after the first one.
      ...[`A payment failed (${slug})`, `A payment failed (${slug})`],
      ...[`The workspace is suspended (${slug})`, `The workspace goes on (${slug})`],
    ]);
    expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
  });

  longTest(
    "an owner whose bank asks for a confirmation is told, confirms on the invoice's page, and is told only once",
    async () => {
      const free = await openFree();
      const asking = { ...card, number: "4000002760003184" };
      await submit((await api(free.owner, "POST", "/v1/billing/setup")).location, asking);
      await told();
      await use(free, 3);
      await nextMonthIsBilled(1);
      await mailed();
      // Both happen at once here, and mails may overtake each other.
      const mails = stack.mailbox.mails(free.owner.email).slice(-2);
      const [required, final] = mails.toSorted((one, other) => one.subject.localeCompare(other.subject));
      expect([required?.subject, final?.subject]).toEqual([
        `A payment waits for your confirmation (${free.slug})`,
        `An invoice of 3.00 USD (${free.slug})`,
      ]);
      const [open] = (await api(free.owner, "GET", "/v1/billing")).body.payments.invoices.filter(
        ({ status }: Answer) => status === "open",
      );
      expect(required?.text).toContain(new URL(open.url).pathname);
      await submit(open.url, {});
      await told();
      const [paid] = (await api(free.owner, "GET", "/v1/billing/invoices")).body.data.filter(
        ({ total }: Answer) => total > 0,
      );
      expect(paid).toMatchObject({ status: "paid", paid: 3 });
    },
  );

  test("an owner who removes the last card is limited to the free credit again", async () => {
    const free = await openFree();
    await submit((await api(free.owner, "POST", "/v1/billing/setup")).location, card);
    await told();
    expect(await tenantOf(free)).toMatchObject({ has_payment_method: true });
    const customer = await use(free, 0);
    const [method = ""] = (await accountOf().paymentMethods(customer)).map(({ id }) => id);
    await submit((await api(free.owner, "POST", "/v1/billing/portal")).location, { action: "remove", method });
    await told();
    expect(await tenantOf(free)).toMatchObject({ has_payment_method: false });
  });

  longTest(
    "an owner whose customer is deleted in the provider's dashboard is limited to the free credit again, and the operators are notified",
    async () => {
      const free = await openFree();
      await submit((await api(free.owner, "POST", "/v1/billing/setup")).location, card);
      await told();
      const { stripe_customer_id: id, stripe_subscription_id } = (await tenantOf(free)) as Record<string, string>;
      await submit(`${stack.at("stripe")}/dashboard`, { action: "delete", id: id ?? "" });
      await told();
      expect(await tenantOf(free)).toMatchObject({ status: "active", has_payment_method: false });
      const lines = stack.logs.lines().map(({ line }) => line);
      const problems = lines.filter((line) => line.includes("subscription has ended at the payment provider"));
      expect(problems.map((line) => JSON.parse(line).subscription_id)).toEqual([stripe_subscription_id]);
      expect(lines.filter((line) => line.includes("usage_unbilled")).length).toBeGreaterThan(0);
      expect((await call(free)).status).toBe(200);
      expect((await api(free.owner, "GET", "/v1/billing")).body.has_payment_method).toBe(false);
    },
  );

  test("an owner sees the platform's figures while the provider is down, and late events are still processed", async () => {
    const free = await openFree();
    stack.stripe.configure({ webhooks_held: true });
    await submit((await api(free.owner, "POST", "/v1/billing/setup")).location, card);
    await told();
    expect(await tenantOf(free)).toMatchObject({ has_payment_method: false });
    const operations = ["customers.retrieve", "invoices.list"];
    stack.faults.put(
      operations.map((operation) => ({ service: "stripe", operation, kind: "error", when: "before", times: 1_000 })),
    );
    expect((await api(free.owner, "GET", "/v1/billing")).body).toMatchObject({
      free_credit: { granted_tokens: 10_000 },
      payments: { state: "unavailable" },
    });
    stack.stripe.configure({ webhooks_held: false });
    await stack.stripe.idle();
    expect(await tenantOf(free)).toMatchObject({ has_payment_method: false });
    stack.faults.clear();
    stack.clock.advance(2 * 3_600_000);
    await told();
    expect(await tenantOf(free)).toMatchObject({ has_payment_method: true });
  });
});

test("a card for which no event arrives counts within a day, even if no one looks at the payment state", async () => {
  const free = await openFree();
  const daily = async () => {
    await stack.schedules.run("reconcile");
    await stack.queuePoller.idle();
    return (await tenantOf(free))?.has_payment_method;
  };
  expect(await daily()).toBe(false);
  stack.stripe.configure({ webhooks_held: true });
  await submit((await api(free.owner, "POST", "/v1/billing/setup")).location, card);
  stack.clock.advance(23 * 3_600_000);
  expect(await daily()).toBe(false);
  stack.clock.advance(3_600_000);
  expect(await daily()).toBe(true);
});

describe("the webhook's address", () => {
  const url = () => `${stack.at("api")}/v1/webhooks/stripe`;
  const event = JSON.stringify({ id: "evt_1", object: "v2.core.event", type: "v1.customer.updated" });
  const post = (body: string, signature?: string) =>
    fetch(url(), { method: "POST", body, headers: signature === undefined ? {} : { "stripe-signature": signature } });

  /** As whoever guesses the secret would sign. */
  function forged(seconds = Math.floor(stack.clock.now() / 1000)): string {
    return `t=${seconds},v1=${createHmac("sha256", "whsec_guess").update(`${seconds}.${event}`).digest("hex")}`;
  }

  test.each<[string, () => [body: string, signature?: string], number]>([
    ["without a signature", () => [event], 400],
    ["forged", () => [event, forged()], 400],
    ["stale", () => [event, forged(Math.floor(stack.clock.now() / 1000) - 3_600)], 400],
    ["huge", () => ["x".repeat(100_000), forged()], 413],
    ["empty", () => ["", forged()], 400],
  ])("refuses what is %s", async (_, request, status) => {
    expect((await post(...request())).status).toBe(status);
  });

  test("the webhook's address accepts only POST, and no token", async () => {
    expect((await fetch(url())).status).toBe(404);
  });
});
