// Calls whose end nobody hears, through the whole stack: what the model host counts, what is booked, what is billed, and what of it comes back to
// the owner's allowance.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { unexplainedMessage } from "../../../domain/budget/unexplained.ts";
import { billable } from "../../../domain/ledger/ledger.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import type { Program } from "../../../local/program/program.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, ledgerSince, settled } from "../../support/accounting/accounting.ts";
import { type BilledWorkspace, openBilled, passHours, told } from "../../support/billing/billed-workspace.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";

const usd = 1_000_000_000;
const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };
/** claude-opus-5 through `eu.`, in nano-USD a token of output. */
const outputPrice = 27_500;
const answerTokens = 127_999;
const [events, tokensPerEvent] = [40, 200];
/** Kept of the function's time for settlement, and left for a call. */
const settlementSeconds = 20;
const callSeconds = 4;

let stack: Stack;
beforeAll(async () => {
  stack = await startSeeded({ change: shortened });
});
afterEach(async () => {
  stack.bedrock.clear();
  await settled(stack);
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});
afterAll(() => stack.stop());

/** A function lives a quarter of an hour, in which no model writes 128,000 tokens below 145 a second; nobody waits for that here. */
function shortened({ resources }: Program): void {
  const proxy = resources.ofType("aws:lambda/function:Function").find(({ name }) => name === "proxy");
  if (!proxy) throw new Error("the program declares no proxy");
  proxy.inputs.timeout = settlementSeconds + callSeconds;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
async function api(person: Person, method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}`, "content-type": "application/json" };
  const response = await fetch(stack.at("api") + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

async function paying(email: string): Promise<{ owner: Person; workspace: BilledWorkspace }> {
  const owner = await signUp(stack, email);
  const workspace = await openBilled(stack, owner, email.split("@")[0] ?? "");
  const { url } = await api(owner, "POST", "/v1/billing/setup");
  await fetch(url, { method: "POST", body: new URLSearchParams(card), redirect: "manual" });
  await told(stack);
  return { owner, workspace };
}

/** Long whole answers at once, whose beginning comes and whose end does not within the function's time. */
async function round({ slug, key }: BilledWorkspace, calls: number) {
  stack.bedrock.configure({ outputTokens: answerTokens, tokensPerEvent });
  stack.bedrock.fail({ error: "stall", after: events, times: Number.POSITIVE_INFINITY });
  const body = { model: "claude-opus-5", max_tokens: 128_000, stream: false };
  const answers = await Promise.all(
    Array.from({ length: calls }, async () => {
      const response = await ask(stack, body, { slug, key });
      const { error } = JSON.parse(await response.text());
      return error?.details?.error_code as string | undefined;
    }),
  );
  await settled(stack);
  return answers;
}

/** All in nano-USD; `held` is what the owner may not use, of 50 USD. */
async function figures({ owner, workspace }: Awaited<ReturnType<typeof paying>>, since: number) {
  const rows = await ledgerSince(stack, since, workspace.tenant_id);
  const { unpaid } = await api(owner, "GET", "/v1/billing");
  return {
    rows,
    booked: rows.reduce((sum, { cost }) => sum + cost, 0),
    billed: rows.reduce((sum, row) => sum + billable(row).cost, 0),
    held: Math.round(unpaid.used_usd * usd),
  };
}

test("long whole answers that outlast the function are billed for what was received, and up to a fifth of the trial's cap is given back for the rest", async () => {
  const one = await paying("attack@pays.example");
  const since = stack.clock.now();
  const codes = new Set(await round(one.workspace, 25));
  // A call is told that others hold the rest if they do so for as long as it waits; otherwise that the cap is reached.
  expect(codes.delete("upstream_overloaded")).toBe(true);
  // On a slow machine a function's time may be over before its answer: the edge answers without a code.
  for (const code of codes) expect(["cap_reached", "budget_reserved", undefined]).toContain(code);
  const first = await figures(one, since);
  expect(first.rows.length).toBeGreaterThan(10);
  // All that came before the silence: the local host writes four bytes a token, which are estimated at 3.5. On a slow machine the time of some
  // calls is over before their host is asked.
  const known = first.rows.map((row) => row.known?.cost ?? 0);
  expect(Math.max(...known)).toBeGreaterThan((events - 2) * tokensPerEvent * outputPrice);
  expect(Math.max(...known)).toBeLessThan(events * tokensPerEvent * 1.2 * outputPrice);
  await passHours(stack, 2);
  const after = await figures(one, since);
  expect(after.held).toBeGreaterThan(first.booked - first.billed - 10 * usd - usd / 100);
  const lines = stack.logs.lines("meter-local").filter(({ line }) => line.includes(unexplainedMessage));
  expect(lines.map(({ line }) => JSON.parse(line).tenant_id)).toEqual([one.workspace.tenant_id]);

  await round(one.workspace, 25);
  await passHours(stack, 2);
  const second = await figures(one, since);
  // The second round had what came back: never more than a fifth.
  expect(second.booked - first.booked).toBeLessThan(10.5 * usd);
  expect(second.held).toBeGreaterThan(35 * usd);
});

test("a connection that is reset before the first event is booked at its bound, billed for the prompt, and given back within the fifth", async () => {
  const one = await paying("reset@pays.example");
  const since = stack.clock.now();
  stack.bedrock.fail({ error: "break", after: 0 });
  const { slug, key } = one.workspace;
  const response = await ask(stack, { model: "claude-opus-5", max_tokens: 32_000, stream: false }, { slug, key });
  expect([response.status, response.headers.get("x-should-retry")]).toEqual([502, "false"]);
  await settled(stack);
  const before = await figures(one, since);
  expect(before.booked).toBeGreaterThanOrEqual(32_000 * outputPrice);
  expect(before.billed).toBeLessThan(usd / 1_000);
  await passHours(stack, 2);
  expect((await figures(one, since)).held).toBeLessThan(usd / 1_000);
});

test("an owner without a cap gets only short whole answers until the month ends, once a fifth of what was paid is unexplained", async () => {
  const one = await paying("pro@pays.example");
  const { tenant_id, slug, key } = one.workspace;
  await api(stack.demo?.platform_admin as Person, "PATCH", `/v1/tenants/${tenant_id}`, { tier: "pro" });
  stack.clock.advance(61_000);
  await round(one.workspace, 6);
  await passHours(stack, 2);
  expect((await itemAt(stack, tenantRecord.key({ tenant_id })))?.unexplained_month).toEqual(expect.any(String));
  stack.bedrock.clear();
  stack.clock.advance(61_000);
  const long = { model: "claude-opus-5", max_tokens: 128_000, stream: false };
  const limited = await ask(stack, long, { slug, key });
  await limited.text();
  expect([limited.status, limited.headers.get("x-archway-max-tokens")]).toEqual([200, "8192"]);
  const stream = await ask(stack, { ...long, stream: true }, { slug, key });
  await stream.text();
  expect(stream.headers.get("x-archway-max-tokens")).toBeNull();
  stack.clock.advance(31 * 86_400_000);
  const later = await ask(stack, long, { slug, key });
  await later.text();
  expect([later.status, later.headers.get("x-archway-max-tokens")]).toEqual([200, null]);
});
