import { describe, expect, test } from "@jest/globals";
import { microsOf } from "../../../domain/budget/rate-limit.ts";
import { type Limits, nothingSpent, type Spending } from "../../../domain/budget/spending.ts";
import { limitHeaders } from "../../../handlers/proxy/limit-headers.ts";

const now = microsOf(Date.parse("2026-11-21T05:00:00Z"));
const limits: Limits = { cap: 1_000, enforcement: "reserved", maxInFlight: 4, rate: { burst: 10, perMinute: 60 } };
const spending = (changes: Partial<Spending> = {}): Spending => ({
  ...nothingSpent,
  inflight: 1,
  tat: now + 3_000_000,
  ...changes,
});

test("a caller sees its rate limit in headers: size, what is left, and when it is full again", () => {
  expect(limitHeaders(limits, spending(), now)).toEqual({
    "anthropic-ratelimit-requests-limit": "10",
    "anthropic-ratelimit-requests-remaining": "7",
    "anthropic-ratelimit-requests-reset": "2026-11-21T05:00:03.000Z",
  });
  expect(limitHeaders(limits, spending({ tat: 0 }), now)).toMatchObject({
    "anthropic-ratelimit-requests-remaining": "10",
    "anthropic-ratelimit-requests-reset": "2026-11-21T05:00:00.000Z",
  });
});

describe("the budget's warning", () => {
  const warning = (spent: number, cap = 1_000) => {
    const headers = limitHeaders({ ...limits, cap }, spending({ spent, committed: 10 ** 9 }), now);
    return [
      headers["anthropic-ratelimit-unified-overage-utilization"],
      headers["anthropic-ratelimit-unified-overage-surpassed-threshold"],
    ];
  };

  test.each([
    [0, undefined, undefined],
    [749, undefined, undefined],
    [750, "0.7500", "0.75"],
    [949, "0.9490", "0.75"],
    [950, "0.9500", "0.95"],
    [1_234, "1.2340", "0.95"],
  ])("the budget's warning header is sent at %i of 1000 spent", (spent, utilization, threshold) => {
    expect(warning(spent)).toEqual([utilization, threshold]);
  });

  test("the budget's warning header is not sent without a budget, nor for a budget of 0", () => {
    expect(limitHeaders({ ...limits, cap: undefined }, spending({ spent: 999 }), now)).not.toHaveProperty(
      "anthropic-ratelimit-unified-overage-utilization",
    );
    expect(warning(5, 0)).toEqual([undefined, undefined]);
  });
});
