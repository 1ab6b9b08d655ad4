// The rate limit: a bucket that several instances share, its refill over a minute, and what the headers say of it.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { startInstances } from "../../support/instances.ts";
import { type Account, expectClosed, openAccount } from "../../support/people/accounts.ts";
import { ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { isLong, longTest } from "../../support/sizes.ts";

describe("rate", () => {
  let stack: Stack;
  const quick = { max_tokens: 1, stream: false };

  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => {
    stack.bedrock.clear();
    await settled(stack);
  });

  async function call(account: Account): Promise<Response> {
    const response = await ask(stack, quick, { key: account.key });
    await response.text();
    return response;
  }

  /** Calls over ten connections until so many are answered; gives how many were admitted. */
  async function admittedOf(account: Account, calls: number): Promise<number> {
    let [left, admitted] = [calls, 0];
    const connection = async () => {
      while (left-- > 0) if ((await call(account)).status === 200) admitted += 1;
    };
    await Promise.all(Array.from({ length: 10 }, connection));
    return admitted;
  }

  describe("a bucket of 20 that is refilled once a minute", () => {
    const slow = { rate_limit: { burst: 20, per_minute: 1 } };

    test("a rate limit with a burst of 20 admits 20 calls at once, over ten connections and several instances", async () => {
      const account = await openAccount(stack, slow);
      await startInstances(stack, 5);
      expect(await admittedOf(account, 30)).toBe(20);
      await settled(stack);
      expect(stack.functions.byName("proxy-local").instances.length).toBeGreaterThan(1);
      expect(await expectClosed(stack, account)).toHaveLength(20);
    });

    test("a rate limit refuses the next call with the seconds to wait, after which the call is admitted", async () => {
      const account = await openAccount(stack, slow);
      expect(await admittedOf(account, 20)).toBe(20);
      const refused = await ask(stack, quick, { key: account.key });
      expect([refused.status, await refused.json()]).toMatchObject([
        429,
        { type: "error", error: { type: "rate_limit_error", details: { error_code: "rate_limited" } } },
      ]);
      const wait = Number(refused.headers.get("retry-after"));
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThanOrEqual(60);
      expect(refused.headers.get("x-should-retry")).toBeNull();
      stack.clock.advance(wait * 1000);
      expect((await call(account)).status).toBe(200);
      expect((await call(account)).status).toBe(429);
    });

    longTest("a rate limit is separate for each caller", async () => {
      const [one, other] = [await openAccount(stack, slow), await openAccount(stack, slow)];
      expect(await admittedOf(one, 21)).toBe(20);
      expect(await admittedOf(other, 21)).toBe(20);
    });

    test("a rate limit's headers say how much is left and when it is full again", async () => {
      const account = await openAccount(stack, slow);
      for (let left = 19; left >= 0; left -= 1) {
        const { headers } = await call(account);
        const of = (name: string) => headers.get(`anthropic-ratelimit-requests-${name}`) ?? "";
        expect([of("limit"), of("remaining")]).toEqual(["20", String(left)]);
        const untilFull = Date.parse(of("reset")) - stack.clock.now();
        expect(untilFull).toBeGreaterThan((20 - left) * 60_000 - 15_000);
        expect(untilFull).toBeLessThanOrEqual((20 - left) * 60_000);
      }
    });
  });

  test("a rate limit admits in a minute as many calls as its refill, within 2 %", async () => {
    // Each twelfth of it must be more than the connections that ask.
    const perMinute = isLong ? 300 : 100;
    const account = await openAccount(stack, { rate_limit: { burst: 30, per_minute: perMinute } });
    expect(await admittedOf(account, 32)).toBeGreaterThanOrEqual(30);
    // Empty: only what is refilled from here on is admitted.
    while ((await call(account)).status === 200);
    const start = stack.clock.now();
    let admitted = 0;
    const takeAll = async () => {
      while ((await call(account)).status === 200) admitted += 1;
    };
    while (stack.clock.now() - start < 60_000) {
      stack.clock.advance(5_000);
      // All that is refilled is taken, however long that lasts: each connection calls until it is refused.
      await Promise.all(Array.from({ length: 4 }, takeAll));
    }
    const due = ((stack.clock.now() - start) / 60_000) * perMinute;
    expect(admitted / due).toBeGreaterThan(0.98);
    expect(admitted / due).toBeLessThan(1.02);
    await settled(stack);
    await expectClosed(stack, account);
  });

  test("a caller without limits of their own has the stack's rate limit", async () => {
    const response = await ask(stack, quick);
    expect(response.headers.get("anthropic-ratelimit-requests-limit")).toBe("60");
    await response.text();
  });
});
