// A workspace without a payment method: its free credit is shared by its callers, spent once, and does not come back.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { addPaymentMethod, callControlPlane, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, ledgerSince, settled } from "../../support/accounting/accounting.ts";
import { ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { few, longTest } from "../../support/sizes.ts";

describe("free credit", () => {
  let stack: Stack;
  let workspaces = 0;

  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => {
    stack.faults.clear();
    stack.bedrock.clear();
    await settled(stack);
  });

  /** A new workspace with two callers that only the credit limits. */
  async function openFree() {
    workspaces += 1;
    const openedAt = stack.clock.now();
    const owner = await signUp(stack, `owner@free${workspaces}.example`);
    const { tenant_id, slug } = await openWorkspace(stack, owner, `Free ${workspaces}`);
    const token = await consoleToken(stack, owner);
    const grant = {
      allowed_models: ["*"],
      allowed_regions: ["eu-central-1"],
      monthly_budget_usd: 1_000,
      rate_limit: { burst: 1_000, per_minute: 1_200 },
      max_in_flight: 100,
    };
    const create = async (name: string) =>
      (await callControlPlane(stack, token, "POST", "/v1/keys", { name, kind: "service_account", grant })) as {
        key: string;
      };
    const callers = [(await create("one")).key, (await create("other")).key] as const;
    return { owner, tenant_id, slug, callers, openedAt };
  }

  test("free credit admits a document of 20 KB whose count fits into the rest", async () => {
    const free = await openFree();
    const words = "The keystone holds the arch and the arch holds the keystone. ".repeat(325);
    const document = { model: "claude-haiku-4-5", max_tokens: 50, messages: [{ role: "user", content: words }] };
    expect(
      await call(free, 0, { ...document, messages: [{ role: "user", content: words.slice(0, 9_000) }] }),
    ).toMatchObject({ status: 200 });
    expect(await call(free, 0, document)).toMatchObject({ status: 200 });
    await settled(stack);
    const { credit, tokens } = await accountingOf(free);
    expect([credit.spent, credit.committed <= 2 * freeCreditTokens]).toEqual([tokens, true]);
  });

  const countPath = "/vendor/v1/messages/count_tokens";
  const counting = { max_tokens: undefined, stream: undefined };

  type Free = Awaited<ReturnType<typeof openFree>>;

  async function call({ slug, callers }: Free, caller: 0 | 1, changes: object = {}, path = "/vendor/v1/messages") {
    const response = await ask(stack, changes, { slug, key: callers[caller], path });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      error: response.ok ? undefined : JSON.parse(text).error,
    };
  }

  async function accountingOf({ tenant_id, openedAt }: Free) {
    const credit = (await itemAt(stack, creditRecord.key({ tenant_id }))) as { spent: number; committed: number };
    const rows = await ledgerSince(stack, openedAt, tenant_id);
    const tokens = rows.reduce(
      (sum, { usage }) => sum + Object.values(usage).reduce((total, count) => total + count, 0),
      0,
    );
    return { credit, rows, tokens };
  }

  /** The credit is what the ledger says, and nothing of it is reserved. */
  async function expectEven(free: Free) {
    await settled(stack);
    const { credit, tokens, rows } = await accountingOf(free);
    expect(credit).toMatchObject({ spent: tokens, committed: tokens });
    return { spent: tokens, rows };
  }

  test("two simultaneous callers spend at most the free credit and one call", async () => {
    const free = await openFree();
    const each = Math.floor(freeCreditTokens / 4);
    stack.bedrock.configure({ outputTokens: each, tokensPerEvent: 5_000 });
    const outcomes: number[] = [];
    let last: Awaited<ReturnType<typeof call>> | undefined;
    for (let round = 0; round < 20 && last?.error?.details.error_code !== "credit_exhausted"; round++) {
      const answers = await Promise.all(
        ([0, 1, 0, 1] as const).map((caller) => call(free, caller, { max_tokens: each + 100 })),
      );
      outcomes.push(...answers.map(({ status }) => status));
      await settled(stack);
      last = answers.at(-1);
    }
    const { spent } = await expectEven(free);
    expect(spent).toBeGreaterThanOrEqual(freeCreditTokens);
    expect(spent).toBeLessThanOrEqual(2 * freeCreditTokens);
    expect(last).toMatchObject({ status: 429, error: { type: "billing_error" } });
    expect(last?.headers.get("x-should-retry")).toBe("false");
    expect(outcomes.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4);
    const counted = await call(free, 0, counting, countPath);
    expect(counted).toMatchObject({ status: 429, error: { type: "billing_error" } });
    expect(counted.headers.get("x-should-retry")).toBe("false");

    await addPaymentMethod(stack, free.owner);
    stack.clock.advance(61_000);
    stack.bedrock.clear();
    expect((await call(free, 0)).status).toBe(200);
    expect((await call(free, 0, counting, countPath)).status).toBe(200);
  });

  test("max_tokens: 128000 on free credit gets a short answer, and at most twice the credit is reserved", async () => {
    const free = await openFree();
    stack.bedrock.configure({ outputTokens: 30 });
    expect((await call(free, 0, { max_tokens: 128_000 })).status).toBe(200);
    // What a call in flight has reserved may come back, and is another refusal.
    await settled(stack);
    const large = { messages: [{ role: "user", content: "x".repeat(975_003) }], max_tokens: 128_000 };
    const { status, error } = await call(free, 1, large);
    expect([status, error.details.error_code]).toEqual([429, "credit_exhausted"]);
    expect(error.message).toMatch(/^Too little free credit: \d+ of 10000 tokens of the free credit are left/);
    const { spent } = await expectEven(free);
    expect(spent).toBeLessThan(200);
  });

  const faults = [
    ["a conflict", { kind: "conflict", when: "before", times: 2 }],
    ["a lost answer", { kind: "cut", when: "after" }],
    ["a throttle", { kind: "throttle", when: "before" }],
    ["a failure", { kind: "error", when: "before" }],
    ["one conflict after another", { kind: "conflict", when: "before", times: 12 }],
  ] as const;

  test.each(few(2, faults))(
    "the fault %s of the admission's transaction on free credit neither loses nor doubles a call",
    async (_name, fault) => {
      const free = await openFree();
      expect((await call(free, 0)).status).toBe(200);
      await settled(stack);
      stack.faults.put([{ service: "dynamodb", operation: "TransactWriteItems", ...fault }]);
      expect((await call(free, 1)).status).toBe(200);
      expect((await expectEven(free)).rows).toHaveLength(2);
    },
  );

  test("a lasting conflict on free credit is reported as too many requests, never as an outage", async () => {
    const free = await openFree();
    stack.faults.put([
      { service: "dynamodb", operation: "TransactWriteItems", kind: "conflict", when: "before", times: 1_000 },
    ]);
    const { status, headers, error } = await call(free, 0);
    expect([status, error]).toMatchObject([429, { type: "rate_limit_error", details: { error_code: "rate_limited" } }]);
    expect(headers.get("retry-after")).toBe("1");
    stack.faults.clear();
    expect((await expectEven(free)).rows).toEqual([]);
    expect((await call(free, 0)).status).toBe(200);
  });

  longTest("a lasting conflict while a dead call's reservation is booked is no outage either", async () => {
    const free = await openFree();
    const conflict = (operation: string) =>
      ({ service: "dynamodb", operation, kind: "conflict", when: "before", times: 10_000 }) as const;
    stack.bedrock.fail({ error: "stall", after: 2 });
    const leaving = new AbortController();
    const { slug, callers } = free;
    const stalled = await ask(stack, {}, { slug, key: callers[0], signal: leaving.signal });
    await stalled.body?.getReader().read();
    await stack.functions.byName("proxy-local").kill();
    leaving.abort();
    stack.clock.advance(90_000);
    stack.faults.put([conflict("TransactWriteItems")]);
    const { status, headers, error } = await call(free, 0);
    expect(stack.faults.list().map(({ struck }) => struck > 0)).toEqual([true]);
    expect([status, error]).toMatchObject([429, { type: "rate_limit_error", details: { error_code: "rate_limited" } }]);
    expect(headers.get("retry-after")).toBe("1");
    stack.faults.clear();
    expect((await call(free, 0)).status).toBe(200);
    expect((await expectEven(free)).rows).toHaveLength(2);
  });

  test("a call on free credit that could not be admitted leaves nothing reserved", async () => {
    const free = await openFree();
    stack.faults.put([
      { service: "dynamodb", operation: "TransactWriteItems", kind: "throttle", when: "before", times: 1_000 },
    ]);
    expect((await call(free, 0)).status).toBe(503);
    stack.faults.clear();
    expect((await expectEven(free)).rows).toEqual([]);
    expect((await call(free, 0)).status).toBe(200);
  });
});
