// A function that dies, at every point of a call: its caller is free again within 90 seconds, and nothing is counted twice.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { type Account, accountingOf, expectClosed, openAccount } from "../../support/people/accounts.ts";
import { ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { few } from "../../support/sizes.ts";

const hang = (operation: string, match: string, when: "before" | "after", nth = 1) =>
  ({ service: "dynamodb", operation, match, when, nth, kind: "hang" }) as const;
const spending = "SPENDING#";

/** Where it dies, and what is booked of it: what it may have cost, or, once its ledger row is there, what it did cost. */
const points: [string, (stack: Stack) => void, "nothing" | "bound" | "truth"][] = [
  ["after its admission", (stack) => stack.faults.put([hang("UpdateItem", spending, "after")]), "bound"],
  ["after its ledger row", (stack) => stack.faults.put([hang("PutItem", "LEDGER#", "after")]), "truth"],
  ["before its admission", (stack) => stack.faults.put([hang("UpdateItem", spending, "before")]), "nothing"],
  ["before the first event", (stack) => stack.bedrock.fail({ error: "stall", after: 0 }), "bound"],
  ["in mid-stream", (stack) => stack.bedrock.fail({ error: "stall", after: 2 }), "bound"],
  ["before its ledger row", (stack) => stack.faults.put([hang("PutItem", "LEDGER#", "before")]), "bound"],
  ["before its settlement", (stack) => stack.faults.put([hang("UpdateItem", '":c"', "before")]), "truth"],
  ["after its settlement", (stack) => stack.faults.put([hang("UpdateItem", '":c"', "after")]), "truth"],
];

describe("a function that dies", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => {
    stack.faults.clear();
    stack.bedrock.clear();
    await settled(stack);
  });

  /** Whether the call has come to the point: a fault has struck, or the model host stands still. */
  async function arrived(before: number): Promise<void> {
    const isThere = () =>
      stack.faults.list().length > 0
        ? stack.faults.list().some(({ struck }) => struck > 0)
        : stack.bedrock.requests().length > before;
    while (!isThere()) await sleep(5);
    // Its bytes are on the way.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async function dieAt(account: Account, prepare: (stack: Stack) => void, maxTokens: number): Promise<void> {
    // A first call of this size may have to draw from the owner's allowance, which is another write.
    const warm = await ask(stack, { max_tokens: maxTokens }, { key: account.key });
    expect([warm.status, await warm.text()]).toEqual([200, expect.any(String)]);
    await settled(stack);
    const before = stack.bedrock.requests().length;
    prepare(stack);
    const leaving = new AbortController();
    const call = ask(stack, { max_tokens: maxTokens }, { key: account.key, signal: leaving.signal })
      .then((response) => response.text())
      .catch(() => {});
    await arrived(before);
    await stack.functions.byName("proxy-local").kill();
    leaving.abort();
    await call;
    // Faults stay, they have struck: what hangs never takes effect, since its connection is gone.
    stack.bedrock.clear();
  }

  describe.each(few(2, points))("%s", (_point, prepare, booked) => {
    test("a function that dies keeps its place and its reservation for at most 90 seconds", async () => {
      const account = await openAccount(stack, { max_in_flight: 1 });
      await dieAt(account, prepare, 100);
      stack.clock.advance(90_000);
      const answer = await ask(stack, {}, { key: account.key });
      expect(answer.status).toBe(200);
      await answer.text();
      await settled(stack);
      const rows = await expectClosed(stack, account);
      const dead = rows.filter(({ provisional }) => provisional);
      expect([rows.length, dead.length]).toEqual([booked === "nothing" ? 2 : 3, booked === "bound" ? 1 : 0]);
    });

    test("a function that dies during an overdraft frees it, and at most the call's highest possible cost is booked", async () => {
      const account = await openAccount(stack, { monthly_budget_usd: 0.5 });
      // 0.66 USD of output at the most: more than the budget, which a caller who is alone may ask for.
      await dieAt(account, prepare, 60_000);
      stack.clock.advance(90_000);
      // What is not settled yet is not spent: the next call is admitted, and books the dead one.
      expect((await ask(stack, {}, { key: account.key })).status).toBe(200);
      await settled(stack);
      const after = await ask(stack, {}, { key: account.key });
      expect(after.status).toBe(booked === "bound" ? 429 : 200);
      if (booked === "bound") expect(await after.text()).toContain("budget_exceeded");
      await settled(stack);
      await expectClosed(stack, account);
      const { spending } = await accountingOf(stack, account);
      expect(spending.overdraft).toBeUndefined();
    });
  });

  test("a function that dies while its call waits leaves no ticket behind", async () => {
    const account = await openAccount(stack, { monthly_budget_usd: 0.05 });
    stack.bedrock.fail({ error: "stall", after: 2, times: 2 });
    const leaving = new AbortController();
    const begin = () =>
      ask(stack, { max_tokens: 60_000 }, { key: account.key, signal: leaving.signal }).catch(() => undefined);
    // One overdraws, and for the other not even the shortest answer fits.
    const calls = [begin(), begin()];
    const reservations = async () => (await accountingOf(stack, account)).spending.reservations;
    while (!(await reservations()).some(({ amount }) => amount === 0)) await sleep(5);
    await stack.functions.byName("proxy-local").kill();
    leaving.abort();
    await Promise.all(calls);
    stack.bedrock.clear();
    stack.clock.advance(90_000);
    await (await ask(stack, {}, { key: account.key })).text();
    await settled(stack);
    expect(await expectClosed(stack, account)).not.toHaveLength(0);
  });
});
