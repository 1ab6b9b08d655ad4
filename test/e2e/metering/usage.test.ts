// Usage and the cap of a workspace, through the local stack: what the callers did is told within seconds and after the meter's
// runs alike, and a workspace that has spent its cap is stopped as a whole.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { monthOf, nextMonth } from "../../../domain/kernel/period.ts";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, runMeter, settled } from "../../support/accounting/accounting.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";

let stack: Stack;
let token: string;

beforeAll(async () => {
  stack = await startSeeded();
  token = await consoleToken(stack, stack.demo?.owner as Person);
});
afterAll(() => stack.stop());

const tenantId = () => stack.demo?.tenant_id ?? "";
const hours = (count: number) => count * 3_600_000;

async function get(path: string, as = token): Promise<Response> {
  return fetch(stack.at("api") + path, { headers: { authorization: `Bearer ${as}` } });
}

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
async function json(path: string, as = token): Promise<any> {
  return (await get(path, as)).json();
}

async function call(options: { session?: string; jwt?: string } = {}) {
  const { session, jwt } = options;
  const headers = { ...(session && { "x-claude-code-session-id": session }) };
  const response = await ask(stack, { max_tokens: 100 }, { headers, ...(jwt && { key: jwt }) });
  const text = await response.text();
  await settled(stack);
  return { status: response.status, headers: response.headers, text };
}

/** As PATCH of the workspace sets it. */
async function setCap(usd: number | undefined): Promise<void> {
  const input = {
    TableName: stack.program.resources.ofType("aws:dynamodb/table:Table")[0]?.outputs.name,
    Key: { pk: { S: tenantRecord.key({ tenant_id: tenantId() }).pk }, sk: { S: "TENANT" } },
    ...(usd === undefined
      ? { UpdateExpression: "REMOVE monthly_cap_usd" }
      : {
          UpdateExpression: "SET monthly_cap_usd = :c",
          ExpressionAttributeValues: { ":c": { N: String(usd) } },
        }),
  };
  await stack.dynamodb.handle("UpdateItem", {
    ...{ method: "POST", path: "/", query: new URLSearchParams(), region: stack.program.region, principal: undefined },
    headers: { "x-amz-target": "DynamoDB_20120810.UpdateItem" },
    body: Buffer.from(JSON.stringify(input)),
  });
  // The proxy remembers a workspace for a minute.
  stack.clock.advance(61_000);
}

describe("usage", () => {
  test("GET /v1/usage shows the first call at once, and the same after the meter has closed its hour", async () => {
    expect((await call({ session: "first" })).status).toBe(200);
    const at = stack.clock.now();
    const path = `/v1/usage?group_by=caller,model,day&from=${new Date(at).toISOString().slice(0, 10)}`;
    const open = await json(path);
    expect(open.data).toMatchObject([{ caller_id: expect.stringMatching(/^sa_/), requests: 1, estimated_requests: 0 }]);
    expect(open.data[0].cost_usd).toBeGreaterThan(0);
    const sessions = await json(`/v1/usage?group_by=session&from=${new Date(at - (at % hours(1))).toISOString()}`);
    expect(sessions.data).toMatchObject([{ session_id: "first", requests: 1, cost_usd: open.data[0].cost_usd }]);
    stack.clock.advance(hours(2));
    token = await consoleToken(stack, stack.demo?.owner as Person);
    await runMeter(stack);
    const closed = await json(path);
    expect(closed.data).toEqual(open.data);
    expect(Date.parse(closed.open_since)).toBeGreaterThan(at);
    const csv = await get(`${path}&format=csv`);
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect((await csv.text()).split("\r\n")).toHaveLength(3);
  });

  test("an interrupted stream counts with its bound in the budget, and with the reported and received part on the invoice", async () => {
    // A month of its own.
    stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + 1_000);
    token = await consoleToken(stack, stack.demo?.owner as Person);
    stack.bedrock.fail({ error: "break", after: 8 });
    const cut = await ask(stack, { max_tokens: 32_000, stream: true });
    expect(await cut.text()).toContain("event: error");
    await settled(stack);
    const open = (await json("/v1/usage")).data;
    expect(open).toMatchObject([{ requests: 1, estimated_requests: 1 }]);
    const [{ cost_usd, billable_cost_usd }] = open;
    expect(billable_cost_usd).toBeGreaterThan(0);
    expect(billable_cost_usd).toBeLessThan(cost_usd / 50);
    stack.clock.advance(hours(2));
    token = await consoleToken(stack, stack.demo?.owner as Person);
    await runMeter(stack);
    expect((await json("/v1/usage")).data).toEqual(open);
    expect((await json("/v1/billing")).month.list_price_usd).toBe(billable_cost_usd);
  });

  test("usage of a workspace is not shown to people who are not members", async () => {
    const stranger = await signUp(stack, "stranger@usage.example");
    const other = await consoleToken(stack, stranger);
    expect((await get("/v1/usage", other)).status).toBe(404);
    const created = await fetch(`${stack.at("api")}/v1/tenants`, {
      method: "POST",
      headers: { authorization: `Bearer ${other}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Usage stranger" }),
    });
    expect(created.status).toBe(201);
    const own = await consoleToken(stack, stranger);
    for (const group_by of ["caller", "session"]) {
      expect((await json(`/v1/usage?group_by=${group_by}`, own)).data).toEqual([]);
    }
  });
});

describe("the cap of a workspace", () => {
  const capMark = async () => (await itemAt(stack, tenantRecord.key({ tenant_id: tenantId() })))?.capped_month;

  test("a workspace's cap stops all callers, including the owner, within two runs of the meter, and a raised cap admits them again", async () => {
    await setCap(0.000001);
    expect((await call()).status).toBe(200);
    await runMeter(stack);
    await runMeter(stack);
    expect(await capMark()).toMatchObject({ month: monthOf(stack.clock.now()) });
    stack.clock.advance(61_000);
    const owner = await helperToken(stack, stack.demo?.owner as Person);
    const reset = new Date(nextMonth(stack.clock.now())).toISOString();
    for (const jwt of [undefined, owner]) {
      const refused = await call(jwt === undefined ? {} : { jwt });
      expect([refused.status, JSON.parse(refused.text).error]).toEqual([
        429,
        { type: "billing_error", message: expect.stringContaining("cap"), details: { error_code: "cap_reached" } },
      ]);
      expect(refused.headers.get("x-budget-reset")).toBe(reset);
      expect(refused.headers.get("retry-after")).toBeNull();
    }
    const count = await ask(stack, {}, { path: "/vendor/v1/messages/count_tokens" });
    expect(count.status).toBe(429);
    token = await consoleToken(stack, stack.demo?.owner as Person);
    expect((await json("/v1/me")).budget.workspace_capped).toBe(true);
    expect((await get("/v1/usage")).status).toBe(200);

    await setCap(100);
    expect((await call()).status).toBe(200);
    expect(await capMark()).toBeDefined();
    await runMeter(stack);
    expect(await capMark()).toBeUndefined();
  });

  test("a workspace's cap is unused at the beginning of each month", async () => {
    await setCap(0.000001);
    await runMeter(stack);
    stack.clock.advance(61_000);
    expect((await call()).status).toBe(429);
    stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + 1_000);
    expect((await call()).status).toBe(200);
    expect(await capMark()).toBeDefined();
  });
});
