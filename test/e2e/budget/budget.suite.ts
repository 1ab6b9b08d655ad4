// A budget is a budget: what callers spend at once, one after another, across months and over the death of a function.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { startInstances } from "../../support/instances.ts";
import { type Account, accountingOf, countedCost, expectClosed, openAccount } from "../../support/people/accounts.ts";
import { ask, type ClientOptions } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { sizes } from "../../support/sizes.ts";

describe("budget", () => {
  let stack: Stack;
  const nano = 1_000_000_000;

  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => {
    stack.faults.clear();
    stack.bedrock.clear();
    await stack.bedrock.idle();
    await settled(stack);
  });

  type Answer = { status: number; headers: Headers; code: string | undefined; type: string | undefined; text: string };

  /** A call of this account, read to its end. */
  async function call(account: Account, changes: object = {}, options: ClientOptions = {}): Promise<Answer> {
    return read(await ask(stack, changes, { key: account.key, ...options }));
  }

  /** Calls that are all asked for at the same time; who does not fit waits for the others. */
  async function callTogether(account: Account, count: number, changes: object): Promise<Answer[]> {
    return Promise.all(Array.from({ length: count }, () => call(account, changes)));
  }

  /** Calls that are all asked for, and admitted or refused, before the first of them goes on to its end. */
  async function callAtOnce(account: Account, count: number, changes: object): Promise<Answer[]> {
    stack.bedrock.fail({ error: "stall", after: 2, times: count });
    const begun = await Promise.all(Array.from({ length: count }, () => ask(stack, changes, { key: account.key })));
    stack.bedrock.resume();
    return Promise.all(begun.map(read));
  }

  async function read(response: Response): Promise<Answer> {
    const text = await response.text();
    const { error } = response.status === 200 ? {} : JSON.parse(text);
    return {
      status: response.status,
      headers: response.headers,
      code: error?.details.error_code,
      type: error?.type,
      text,
    };
  }

  /** The same, and settled. */
  async function callAlone(account: Account, changes: object = {}): Promise<Answer> {
    const answer = await call(account, changes);
    await settled(stack);
    return answer;
  }

  /** Begins a stream and leaves it open; `end` reads it to its end. */
  async function begin(account: Account, changes: object = {}) {
    const response = await ask(stack, changes, { key: account.key });
    return { status: response.status, end: () => response.text() };
  }

  const aGrant = { allowed_models: ["*"], allowed_regions: ["eu-central-1", "us-east-1"] };

  /** As the workspace's owner does, in the account's key. */
  async function changeLimits({ keyId }: { keyId: string }, changes: object): Promise<void> {
    const token = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });
    await callControlPlane(stack, token, "PATCH", `/v1/keys/${keyId}`, { grant: { ...aGrant, ...changes } });
  }

  const spentBy = async (account: Account) => (await accountingOf(stack, account)).spending.spent;

  /** Output that costs about this much with claude-sonnet-5 through `eu.`, at 11 USD a million tokens. */
  const tokensFor = (usd: number) => Math.round((usd / 11) * 1_000_000);

  describe(`${sizes.streams} streams of 0.05 USD at once, with 0.20 USD to spend`, () => {
    let account: Account;
    let answers: Answer[];
    let counted: number[];
    beforeAll(async () => {
      account = await openAccount(stack, { monthly_budget_usd: 0.2, max_in_flight: 100 });
      const outputTokens = tokensFor(0.05);
      await startInstances(stack, sizes.streams);
      stack.bedrock.configure({ outputTokens, tokensPerEvent: 200 });
      answers = await callTogether(account, sizes.streams, { max_tokens: outputTokens + 50 });
      await stack.bedrock.idle();
      await settled(stack);
      counted = stack.bedrock.requests().map(countedCost);
    });

    test("simultaneous streams spend the whole budget, and at most one of them exceeds it", async () => {
      const rows = await expectClosed(stack, account);
      const spent = rows.reduce((sum, { cost }) => sum + cost, 0);
      expect(spent).toBeGreaterThanOrEqual(0.2 * nano);
      expect(spent).toBeLessThanOrEqual(0.25 * nano);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(rows.length);
      expect(rows.every(({ source }) => source === "final")).toBe(true);
    });

    test("simultaneous streams are settled at the model host's count", async () => {
      const { rows } = await accountingOf(stack, account);
      expect(rows.map(({ cost }) => cost).sort()).toEqual(counted.sort());
    });

    test("simultaneous streams wait while the budget is only reserved, and are refused once it is spent", () => {
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThanOrEqual(sizes.streams - 5);
      // A machine with fewer cores than calls may keep some waiting for the store or the model host for too long.
      const told = refused.filter(({ status }) => status !== 503);
      const [waited, turnedAway] = [true, false].map((hasWaited) =>
        told.filter(({ code }) => (code === "budget_exceeded") === hasWaited),
      );
      expect(waited?.length).toBeGreaterThan(sizes.streams / 6);
      for (const { status, type, headers } of waited ?? []) {
        expect([status, type]).toEqual([429, "billing_error"]);
        expect([headers.get("retry-after"), headers.get("x-should-retry")]).toEqual([null, "false"]);
      }
      for (const { status, type, code } of turnedAway ?? []) {
        expect([status, type, code]).toEqual([429, "rate_limit_error", "budget_reserved"]);
      }
    });
  });

  describe("a caller of one call after another", () => {
    test("a serial caller is refused only when the budget is spent, whatever max_tokens says, and admitted again in the next month", async () => {
      const account = await openAccount(stack, { monthly_budget_usd: 0.01 });
      stack.bedrock.configure({ outputTokens: tokensFor(0.004) });
      const statuses: number[] = [];
      let last: Answer | undefined;
      while (statuses.length < 10 && last?.status !== 429) {
        last = await callAlone(account, { max_tokens: 60_000 });
        statuses.push(last.status);
      }
      expect(statuses).toEqual([200, 200, 200, 429]);
      expect(await spentBy(account)).toBeGreaterThanOrEqual(0.01 * nano);
      expect(last).toMatchObject({ type: "billing_error", code: "budget_exceeded" });
      const nextMonth = new Date(stack.clock.now());
      nextMonth.setUTCMonth(nextMonth.getUTCMonth() + 1, 1);
      nextMonth.setUTCHours(0, 0, 0, 0);
      expect(last?.headers.get("x-budget-reset")).toBe(nextMonth.toISOString());
      expect(last?.headers.get("retry-after")).toBeNull();
      expect(last?.headers.get("x-should-retry")).toBe("false");
    });

    test("a caller is admitted at once when the budget is raised, and refused within a minute when it is lowered", async () => {
      const account = await openAccount(stack, { monthly_budget_usd: 0.01 });
      const long = { max_tokens: 60_000 };
      const limit = (monthly_budget_usd: number) => changeLimits(account, { monthly_budget_usd });
      stack.bedrock.configure({ outputTokens: tokensFor(0.02) });
      expect((await callAlone(account, long)).status).toBe(200);
      expect((await callAlone(account, long)).code).toBe("budget_exceeded");
      await limit(0.1);
      expect((await callAlone(account, long)).status).toBe(200);
      await limit(0.02);
      stack.clock.advance(61_000);
      expect((await callAlone(account, long)).code).toBe("budget_exceeded");
    });

    test("a serial caller is not refused because of the call whose last byte it has just read", async () => {
      const account = await openAccount(stack, { monthly_budget_usd: 0.5, max_in_flight: 1 });
      stack.bedrock.configure({ outputTokens: 20 });
      const slow = { kind: "delay", when: "before", milliseconds: 50, times: 1_000 } as const;
      stack.faults.put([{ service: "dynamodb", operation: "PutItem", match: "LEDGER#", ...slow }]);
      for (let calls = 0; calls < 6; calls++) {
        const { status } = await call(account, { max_tokens: 30_000, stream: calls % 2 === 0 });
        expect(status).toBe(200);
      }
      await settled(stack);
      expect(await expectClosed(stack, account)).toHaveLength(6);
    });

    test("a caller is warned at 75 % and at 95 % of the budget, and not before", async () => {
      const account = await openAccount(stack, { monthly_budget_usd: 0.02 });
      stack.bedrock.configure({ outputTokens: tokensFor(0.00192) });
      const told: (string | null)[] = [];
      const expected: (string | null)[] = [];
      for (let calls = 0; calls < 11; calls++) {
        const share = (await spentBy(account)) / (0.02 * nano);
        expected.push(share >= 0.95 ? "0.95" : share >= 0.75 ? "0.75" : null);
        const { status, headers } = await callAlone(account, { max_tokens: 200 });
        expect(status).toBe(200);
        const warning = headers.get("anthropic-ratelimit-unified-overage-surpassed-threshold");
        told.push(warning);
        const utilization = headers.get("anthropic-ratelimit-unified-overage-utilization");
        expect(utilization).toBe(warning === null ? null : share.toFixed(4));
      }
      expect(told).toEqual(expected);
      expect(new Set(told)).toEqual(new Set([null, "0.75", "0.95"]));
    });
  });

  describe("calls in flight", () => {
    test("calls in flight are limited by the grant; one more is told to retry, and is admitted once another has ended", async () => {
      const account = await openAccount(stack, { max_in_flight: 2 });
      for (const _each of [1, 2]) stack.bedrock.fail({ error: "stall", after: 3 });
      const held = [await begin(account, { max_tokens: 400 }), await begin(account, { max_tokens: 400 })];
      expect(held.map(({ status }) => status)).toEqual([200, 200]);
      const refused = await call(account);
      expect(refused).toMatchObject({ status: 429, type: "rate_limit_error", code: "concurrency_limited" });
      expect(refused.headers.get("retry-after")).toBe("2");
      stack.bedrock.resume();
      await Promise.all(held.map(({ end }) => end()));
      await settled(stack);
      expect((await callAlone(account)).status).toBe(200);
      expect(await expectClosed(stack, account)).toHaveLength(3);
    });

    test("calls under the enforcement `spent` reserve nothing, may overshoot, and are then refused", async () => {
      const grant = { monthly_budget_usd: 0.004, budget_enforcement: "spent", max_in_flight: 100 };
      const account = await openAccount(stack, grant);
      stack.bedrock.configure({ outputTokens: tokensFor(0.003), tokensPerEvent: 50 });
      const answers = await callAtOnce(account, 5, { max_tokens: 60_000 });
      await settled(stack);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(await callAlone(account)).toMatchObject({ status: 429, code: "budget_exceeded" });
      await expectClosed(stack, account);
    });

    test("a spent budget also refuses counts of tokens, at either endpoint of the model host", async () => {
      const account = await openAccount(stack, { monthly_budget_usd: 0.000_001 });
      const path = "/vendor/v1/messages/count_tokens";
      const models = ["claude-sonnet-5", "claude-sonnet-4-6"];
      for (const model of models) expect(await call(account, { model }, { path })).toMatchObject({ status: 200 });
      await callAlone(account);
      for (const model of models) {
        const refused = await call(account, { model }, { path });
        expect(refused).toMatchObject({ status: 429, type: "billing_error", code: "budget_exceeded" });
        expect(refused.headers.get("x-should-retry")).toBe("false");
      }
    });
  });

  test("an owner without a grant has no cap", async () => {
    const token = await helperToken(stack, stack.demo?.owner ?? { email: "", password: "" });
    const response = await ask(stack, {}, { key: "", headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].filter((name) => name.includes("budget"))).toEqual([]);
    await response.text();
  });

  test("a function that dies between admission and settlement leaves nothing reserved: it is settled at its bounds", async () => {
    const account = await openAccount(stack, { max_in_flight: 1 });
    stack.bedrock.fail({ error: "stall", after: 2 });
    const { status, end } = await begin(account, { max_tokens: 100 });
    expect(status).toBe(200);
    const ended = end().catch(() => {});
    const [reservation] = (await accountingOf(stack, account)).spending.reservations;
    expect(reservation).toBeDefined();
    await stack.functions.byName("proxy-local").kill();
    await ended;
    expect(await call(account)).toMatchObject({ status: 429, code: "concurrency_limited" });
    // A minute and a half after its last renewal at the latest.
    stack.clock.advance(90_000);
    expect((await callAlone(account)).status).toBe(200);
    const rows = await expectClosed(stack, account);
    expect(rows.map(({ source }) => source).sort()).toEqual(["estimated", "final"]);
    expect(rows.find(({ source }) => source === "estimated")).toMatchObject({
      request_id: reservation?.requestId,
      cost: reservation?.amount,
      provisional: true,
    });
  });

  // Moves the clock into another month, so it comes last.
  test("a budget is full again in the next month", async () => {
    const account = await openAccount(stack, { monthly_budget_usd: 0.000001 });
    expect((await callAlone(account)).status).toBe(200);
    const refused = await callAlone(account);
    expect(refused.status).toBe(429);
    stack.clock.advance(Date.parse(refused.headers.get("x-budget-reset") ?? "") - stack.clock.now() + 1000);
    expect((await callAlone(account)).status).toBe(200);
  });
});
