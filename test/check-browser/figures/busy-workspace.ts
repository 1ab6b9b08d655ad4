// A workspace in its fourth week: people with budgets that are fine, nearly spent and spent, service accounts, keys that need care, names
// that strain a page, usage of each hour, and calls of today. It is what the pictures of docs/console show.

import type { Page } from "playwright-core";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { lastUseRecord } from "../../../adapters/dynamodb/keys/last-use.record.ts";
import { ledgerItem } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { rollupRecord } from "../../../adapters/dynamodb/ledger/rollup.record.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { nothingUsed, type Rollup } from "../../../domain/ledger/rollup.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { acceptInvitation, callControlPlane, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/running-stack.ts";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";
import { put, set } from "../table.ts";
import { pagesOf } from "../workspace/every-page.ts";

const usd = 1_000_000_000;
const dayMs = 86_400_000;

/** What each person has spent of a budget, in USD; without a budget they were invited and have not joined. */
const people = [
  { email: "maria.fernandez@acme.example", budget: 200, spent: 182.4 },
  { email: "oluwaseun.adebayo@acme.example", budget: 50, spent: 50 },
  { email: "li.wei@acme.example", budget: 100, spent: 31.2 },
  {
    email: "a-very-long-address-of-somebody-in-research-and-development@subsidiary.acme.example",
    budget: 20,
    spent: 0.0042,
  },
  { email: "new.colleague@acme.example", budget: 50, spent: 0, invited: true },
];

const accounts = [
  { name: "nightly evaluation", budget: 400, spent: 371.9 },
  { name: "support bot", budget: 1_000, spent: 212.34 },
  { name: "مساعد الدعم", budget: 40, spent: 3.5 },
  { name: "Ретельний перекладач довгих звітів відділу досліджень", budget: 10, spent: 1.25 },
];

const models = ["claude-sonnet-5", "claude-opus-4-8", "claude-haiku-4-5"];

type Caller = { id: string; spent: number };

/** @returns problems of the pages */
export async function busyWorkspace(stage: Stage): Promise<string[]> {
  const { demo } = stage.stack;
  if (!demo) throw new Error("the stack has no demo workspace");
  await fillWorkspace(stage.stack);
  const owner = await stage.signedIn(demo.owner);
  const problems = await pagesOf(stage, owner, "busy", { isPictured: true });
  await owner.page.goto(stage.console);
  await readsByArrows(owner.page);
  await owner.page.goto(`${stage.console}/people`);
  await owner.page.getByRole("link", { name: "maria.fernandez@acme.example" }).click();
  await owner.page.getByRole("heading", { name: "Grant" }).waitFor();
  problems.push(...(await inspect(owner.page, "busy-person", { isPictured: true })));
  const { page } = await stage.signedIn(demo.platform_admin);
  await page.goto(`${stage.console}/admin`);
  await page.getByRole("rowheader", { name: "Globex" }).waitFor();
  problems.push(...(await inspect(page, "busy-platform", { isPictured: true })));
  return problems;
}

/** The columns of a chart are read one by one with the arrow keys, from today on, and a table says the same. */
async function readsByArrows(page: Page): Promise<void> {
  const columns = page.getByRole("group", { name: "Columns, with arrow keys" });
  const reading = page.locator(".reading strong");
  await columns.focus();
  const today = await reading.innerText();
  await page.keyboard.press("ArrowLeft");
  const yesterday = await reading.innerText();
  await page.keyboard.press("ArrowRight");
  if (!/, so far: /.test(today) || yesterday === today || (await reading.innerText()) !== today)
    throw new Error(`the arrow keys read ${today}, then ${yesterday}`);
  await page.getByText("Show as table").click();
  const [name, value = ""] = today.replace(", so far", "").split(": ");
  await page
    .getByRole("row", { name: new RegExp(`^${name} `) })
    .getByRole("cell", { name: value, exact: true })
    .last()
    .waitFor();
}

/** Fills the demo's workspace. */
async function fillWorkspace(stack: Stack): Promise<void> {
  const { demo } = stack;
  if (!demo) throw new Error("the stack has no demo workspace");
  const token = await consoleToken(stack, demo.owner);
  const api = async (method: string, path: string, body: object) =>
    (await callControlPlane(stack, token, method, path, body)) as Record<string, string>;
  const grantOf = (budget: number) => ({
    allowed_models: ["*"],
    allowed_regions: ["eu-central-1"],
    monthly_budget_usd: budget,
  });
  const callers: Caller[] = [
    { id: demo.owner.sub, spent: 64.2 },
    { id: demo.developer.sub, spent: 18.75 },
  ];
  for (const { email, budget, spent, invited } of people) {
    const { user_id = "" } = await api("POST", "/v1/users/invite", { email });
    await api("PUT", `/v1/grants/${user_id}`, grantOf(budget));
    if (!invited) await acceptInvitation(stack, { email, sub: user_id });
    callers.push({ id: user_id, spent });
  }
  const keyIds: string[] = [];
  for (const { name, budget, spent } of accounts) {
    const key = { name, kind: "service_account", grant: grantOf(budget) };
    const { key_id = "", caller_id = "" } = await api("POST", "/v1/keys", key);
    keyIds.push(key_id);
    callers.push({ id: caller_id, spent });
  }
  const now = stack.clock.now();
  for (const [at, name] of ["Laptop", "Laptop, old", "CI pipeline"].entries()) {
    const expires_at = new Date(now + (at + 1) * 20 * dayMs).toISOString();
    const { key_id = "" } = await api("POST", "/v1/keys", { name, ...(at > 0 && { expires_at }) });
    keyIds.push(key_id);
  }
  for (const [at, key_id] of keyIds.entries())
    if (at % 3 !== 2)
      await put(stack, {
        ...lastUseRecord.key({ key_id }),
        key_id,
        used_at: new Date(now - at * 3_000_000).toISOString(),
      });

  const lastMonth = new Date(Date.parse(`${monthOf(now)}-01`) - 10 * dayMs).toISOString();
  await set(stack, tenantRecord.key({ tenant_id: demo.tenant_id }), "created_at", lastMonth);
  for (const { id, spent } of callers) {
    const row = spendingRecord.key({ tenant_id: demo.tenant_id, caller_id: id, month: monthOf(now) });
    for (const name of ["spent", "committed"]) await set(stack, row, name, Math.round(spent * usd));
    await set(stack, row, "committed", Math.round((spent + spent * 0.02) * usd));
  }
  for (const rollup of monthOfUsage(demo.tenant_id, callers, now))
    await put(stack, { ...rollupRecord.key(rollup), ...rollup, read_at: 1 });
  for (const row of callsOfToday(demo.tenant_id, callers, keyIds, now)) await put(stack, ledgerItem(row));
  for (const name of ["Globex", "Initech GmbH & Co. KG", "Größenwahn"]) {
    const owner = await signUp(
      stack,
      `owner@${name.slice(0, 4).toLowerCase().replace("ö", "o").replace("ß", "s")}.example`,
    );
    await openWorkspace(stack, owner, name).catch(() => {}); // Who is not approved yet is listed as waiting.
  }
}

/** Each hour of the month up to now, busier by day and not at weekends, shared as the callers spent. */
function monthOfUsage(tenant_id: string, callers: Caller[], now: number): Rollup[] {
  const first = Date.parse(`${monthOf(now)}-01`);
  const hours = Array.from({ length: Math.floor((now - first) / 3_600_000) }, (_, at) => first + at * 3_600_000);
  const weight = (time: number) => {
    const [day, hour] = [new Date(time).getUTCDay(), new Date(time).getUTCHours()];
    const wave = 1 + 0.4 * Math.sin(time / dayMs);
    return (day === 0 || day === 6 ? 0.1 : 1) * (hour > 6 && hour < 19 ? 1 : 0.15) * wave;
  };
  const all = hours.reduce((sum, time) => sum + weight(time), 0);
  return hours.flatMap((time, at) =>
    callers.flatMap(({ id, spent }, who) => {
      const model = models[(who + Math.floor(at / 3)) % models.length] ?? "";
      if ((at + who) % 3 !== 0 || spent === 0) return [];
      const cost = Math.round(((3 * spent * weight(time)) / all) * usd);
      const isEstimated = (at + who) % 41 === 0;
      const part = (share: number) => Math.round(cost * share);
      const parts = {
        input_cost: part(0.25),
        cache_read_cost: part(0.15),
        cache_write_5m_cost: part(0.1),
        cache_write_1h_cost: 0,
      };
      const output_cost = cost - parts.input_cost - parts.cache_read_cost - parts.cache_write_5m_cost;
      return [
        {
          ...nothingUsed,
          ...{ tenant_id, hour: new Date(time).toISOString().slice(0, 13), caller_id: id, model },
          ...{ requests: 1 + (at % 7), cost, billable_cost: cost, ...parts, output_cost, saved: part(0.9) },
          ...{
            input: Math.round(cost / 12_000),
            output: Math.round(cost / 30_000),
            cache_read: Math.round(cost / 2_000),
          },
          ...{ cache_write_5m: Math.round(cost / 37_000) },
          ...(isEstimated && { estimated_requests: 1, estimated_cost: part(0.3) }),
        },
      ];
    }),
  );
}

function callsOfToday(tenant_id: string, callers: Caller[], keyIds: string[], now: number) {
  const today = Date.parse(new Date(now).toISOString().slice(0, 10));
  return Array.from({ length: 60 }, (_, at) => {
    const admitted = today + ((now - today) * at) / 60;
    const usage = {
      input: 1_200 + at * 31,
      output: 300 + at * 7,
      cache_read: 18_000 + at * 400,
      cache_write_5m: at % 4 ? 0 : 2_000,
      cache_write_1h: 0,
    };
    const parts = {
      ...{ input: usage.input * 3_000, output: usage.output * 15_000, cache_read: usage.cache_read * 300 },
      ...{ cache_write_5m: usage.cache_write_5m * 3_750, cache_write_1h: 0 },
    };
    const cost = Object.values(parts).reduce((sum, part) => sum + part, 0);
    const model = models[at % models.length] ?? "";
    return {
      ...{
        tenant_id,
        caller_id: callers[at % callers.length]?.id ?? "",
        request_id: `req_${String(at).padStart(24, "0")}`,
      },
      ...{ admitted_at: new Date(admitted).toISOString(), settled_at: new Date(admitted + 4_000).toISOString() },
      ...{
        model,
        profile: `eu.anthropic.${model}`,
        region: "eu-central-1",
        usage,
        cost,
        parts: { ...parts, saved: usage.cache_read * 2_700 },
        version: 1,
      },
      ...{ key_id: keyIds[at % keyIds.length], session_id: `session-${at % 5}` },
      source: at % 17 === 0 ? ("estimated" as const) : ("final" as const),
    };
  });
}
