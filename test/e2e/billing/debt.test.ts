// Who does not pay, through the whole stack: the audit's attacks on trust, each with what comes of it now.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { allowanceRecord } from "../../../adapters/dynamodb/budget/allowance.record.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { unpaidReason } from "../../../domain/billing/debt.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { accounted, itemAt, ledgerSince, settled, workedOff } from "../../support/accounting/accounting.ts";
import {
  anotherKey,
  type BilledWorkspace,
  closeMonth,
  invoicesOf,
  openBilled,
  passHours,
  toBill,
  told,
  use,
} from "../../support/billing/billed-workspace.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";

const dayMs = 86_400_000;
const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };
const declining = { ...card, number: "4000000000000341" };
const usd = 1_000_000_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startSeeded({ config: { "archway:trialCap": "10", "archway:firstWeekTimes": "100" } });
});
afterEach(async () => {
  stack.bedrock.clear();
  stack.stripe.configure({ webhooks_held: false });
  await settled(stack);
});
afterAll(() => stack.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
async function api(person: Person, method: string, path: string): Promise<any> {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}` };
  const response = await fetch(stack.at("api") + path, { method, headers });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

async function onPage(owner: Person, page: "setup" | "portal", form: Record<string, string>): Promise<void> {
  const { url } = await api(owner, "POST", `/v1/billing/${page}`);
  await fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
  await told(stack);
}

const tenantOf = ({ tenant_id }: BilledWorkspace) => itemAt(stack, tenantRecord.key({ tenant_id }));
const allowanceOf = async ({ sub }: Person) => (await itemAt(stack, allowanceRecord.key({ owner_sub: sub }))) ?? {};

/** Calls of most of a USD each, until one is refused. */
async function useUp(workspace: BilledWorkspace): Promise<{ calls: number; refusal: number | string }> {
  stack.bedrock.configure({ outputTokens: 60_001, tokensPerEvent: 20_000 });
  for (let calls = 0; calls < 100; calls++) {
    const answer = await use(stack, workspace, 64_000);
    if (answer !== 200) return { calls, refusal: answer };
  }
  throw new Error("nothing ends it");
}

test("a card that never paid gives the trial's cap and no more, in all present and later workspaces, until an invoice is paid", async () => {
  const owner = await signUp(stack, "never@pays.example");
  const first = await openBilled(stack, owner, "First");
  await onPage(owner, "setup", declining);
  const { calls, refusal } = await useUp(first);
  expect([calls > 5, refusal]).toEqual([true, "cap_reached"]);
  const { unpaid } = await api(owner, "GET", "/v1/billing");
  expect(unpaid.limit_usd).toBe(10);
  expect(unpaid.used_usd).toBeLessThanOrEqual(10);
  // Another workspace on the same card draws on the same allowance.
  const second = await openBilled(stack, owner, "Second");
  stack.stripe.configure({ webhooks_held: true });
  expect((await useUp(second)).refusal).toBe("cap_reached");
  expect(Number((await allowanceOf(owner)).drawn)).toBeLessThanOrEqual(10 * usd);
  // No event tells of the month's invoices, nor that nobody tries any more to collect them.
  await passHours(stack, 2);
  await closeMonth(stack);
  for (let week = 0; week < 3; week++) stack.clock.advance(7 * dayMs);
  expect((await tenantOf(first))?.status).toBe("active");
  await stack.schedules.run("reconcile");
  await workedOff(stack);
  for (const workspace of [first, second]) {
    expect(await tenantOf(workspace)).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
  }
  // Deleting and opening another one is no way out.
  await api(owner, "DELETE", `/v1/tenants/${second.tenant_id}`);
  const third = await openWorkspace(stack, owner, "Third");
  expect(await itemAt(stack, tenantRecord.key({ tenant_id: third.tenant_id }))).toMatchObject({ status: "suspended" });
  expect(await use(stack, first)).toBe("tenant_suspended");
  // Paid by another card, all go on, and trust has grown.
  stack.stripe.configure({ webhooks_held: false });
  await told(stack);
  await onPage(owner, "portal", { action: "add", ...card });
  expect((await invoicesOf(stack, first)).map(({ status }) => status)).toContain("paid");
  expect((await tenantOf(first))?.status).toBe("active");
  expect((await api(owner, "GET", "/v1/billing")).unpaid.limit_usd).toBeGreaterThan(30);
  expect(await use(stack, first)).toBe(200);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("fifty calls at once in the first minute, by ten callers in two workspaces, use at most the trial's cap", async () => {
  const owner = await signUp(stack, "quick@pays.example");
  const workspaces = [await openBilled(stack, owner, "Quick"), await openBilled(stack, owner, "Quicker")];
  const callers: { slug: string; key: string }[] = [];
  for (const { tenant_id, slug, key } of workspaces) {
    await api(owner, "POST", `/v1/tenants/${tenant_id}/activate`);
    callers.push({ slug, key });
    for (let more = 1; more < 5; more++) callers.push({ slug, key: await anotherKey(stack, owner, `CI ${more}`) });
  }
  await onPage(owner, "setup", card);
  const at = stack.clock.now();
  stack.bedrock.configure({ outputTokens: 60_001, tokensPerEvent: 20_000 });
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const response = await ask(stack, { max_tokens: 64_000 }, callers[index % callers.length]);
      await response.text();
      return response.status;
    }),
  );
  await settled(stack);
  const rows = (await Promise.all(workspaces.map(({ tenant_id }) => ledgerSince(stack, at, tenant_id)))).flat();
  // Free credit pays a part of it, which nobody owes.
  const used = rows.reduce((sum, { cost }) => sum + cost, 0);
  expect([used > usd, used <= 11 * usd]).toEqual([true, true]);
  expect(new Set(rows.map(({ caller_id }) => caller_id)).size).toBeGreaterThan(1);
  expect(answers.filter((status) => status === 200)).toHaveLength(rows.length);
  expect(rows.length).toBeLessThan(40);
  expect(Number((await allowanceOf(owner)).drawn)).toBeLessThanOrEqual(10 * usd);
});

test("half of the amount that may be unpaid is billed at once, so that an owner who pays can continue beyond the trial's cap", async () => {
  const owner = await signUp(stack, "grows@pays.example");
  const workspace = await openBilled(stack, owner, "Grows");
  await onPage(owner, "setup", card);
  const first = await useUp(workspace);
  expect(first.refusal).toBe("cap_reached");
  await passHours(stack, 2);
  await told(stack);
  const { data } = await api(owner, "GET", "/v1/billing/invoices");
  expect(data).toMatchObject([{ status: "paid", tenant_id: workspace.tenant_id, month: expect.any(String) }]);
  const { unpaid } = await api(owner, "GET", "/v1/billing");
  expect(unpaid.limit_usd).toBeGreaterThan(30);
  const second = await useUp(workspace);
  expect(second.calls).toBeGreaterThan(2 * first.calls);
  // An event or a mail that failed on a slow machine comes again.
  await told(stack);
  await accounted(stack);
  const mails = stack.mailbox.mails(owner.email).map(({ text }) => text);
  expect(mails.filter((text) => text.includes("It does not wait for the end of the month"))).toHaveLength(1);
  // In the end everything is billed once.
  await passHours(stack, 2);
  await closeMonth(stack);
  await passHours(stack, 2);
  const all = (await api(owner, "GET", "/v1/billing/invoices")).data;
  const billed = all.reduce(
    (sum: number, { usage_usd }: { usage_usd: number }) => sum + Math.round(usage_usd * 1e6),
    0,
  );
  expect(billed).toBe(toBill(workspace));
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});
