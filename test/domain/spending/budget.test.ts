import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { nextMonth } from "../../../domain/period.ts";
import { type LimitCheck, limitRefusal } from "../../../domain/spending/budget.ts";
import { interval, microsOf, tolerance } from "../../../domain/spending/rate-limit.ts";
import type { Credit, Limits, Spending } from "../../../domain/spending/spending.ts";

const now = Date.parse("2026-11-21T05:00:00Z");
const nowMicros = microsOf(now);
const rate = { burst: 2, perMinute: 60 };

function limits(changes: Partial<Limits> = {}): Limits {
  return { cap: 100, enforcement: "reserved", maxInFlight: 4, rate, ...changes };
}
function spending(changes: Partial<Spending> = {}): Spending {
  return { spent: 0, committed: 0, inflight: 0, tat: 0, reservations: [], ...changes };
}
function ask(state: Spending, limits: Limits, question: Partial<LimitCheck> = {}) {
  return limitRefusal(state, limits, {
    reservedCost: 10,
    nowMicros,
    resetsAt: nextMonth(nowMicros / 1000),
    credit: undefined,
    ...question,
  });
}
const credit = (changes: Partial<Credit>, tokens = 10) => ({
  state: { granted: 1_000, spent: 0, committed: 0, ...changes },
  tokens,
});

/** One state for each reason, and the question that runs into it. */
const reasons: [code: string, state: Partial<Spending>, question: Partial<LimitCheck>][] = [
  ["budget_exceeded", { spent: 100, committed: 100 }, {}],
  ["budget_reserved", { spent: 10, committed: 95 }, {}],
  ["credit_exhausted", {}, { credit: credit({ spent: 1_000, committed: 1_000 }) }],
  ["budget_reserved", {}, { credit: credit({ spent: 10, committed: 995 }) }],
  ["concurrency_limited", { inflight: 4 }, {}],
  ["rate_limited", { tat: nowMicros + tolerance(rate) + 1 }, {}],
];

test.each(reasons)("%s is the reason where it is the only one (case %#)", (code, state, question) => {
  expect(ask(spending(state), limits(), question)?.code).toBe(code);
});

test("of several reasons the first counts: budget, credit, concurrency, rate", () => {
  for (const [first, [code, state, question]] of reasons.entries()) {
    for (const [, later, laterQuestion] of reasons.slice(first + 1)) {
      const both = ask(spending({ ...later, ...state }), limits(), { ...laterQuestion, ...question });
      expect(both?.code).toBe(code);
    }
  }
});

test("nothing stands in the way of a caller within its limits", () => {
  expect(ask(spending({ spent: 10, committed: 90, inflight: 3, tat: nowMicros }), limits())).toBeUndefined();
  expect(ask(spending({ spent: 10 ** 12 }), limits({ cap: undefined }))).toBeUndefined();
});

describe("a budget", () => {
  test("refuses who is alone only when over, however large the request", () => {
    expect(ask(spending({ spent: 99, committed: 99 }), limits(), { reservedCost: 10 ** 9 })).toBeUndefined();
    expect(ask(spending({ spent: 100, committed: 100 }), limits(), { reservedCost: 0 })?.code).toBe("budget_exceeded");
  });

  test("of nothing is over from the beginning", () => {
    expect(ask(spending(), limits({ cap: 0 }))?.code).toBe("budget_exceeded");
  });

  test("with the plain check does not look at what others reserve", () => {
    expect(ask(spending({ spent: 10, committed: 10_000 }), limits({ enforcement: "spent" }))).toBeUndefined();
    expect(ask(spending({ spent: 100 }), limits({ enforcement: "spent" }))?.code).toBe("budget_exceeded");
  });

  test("that is spent says when it resets, to the second", () => {
    expect(ask(spending({ spent: 100 }), limits())).toMatchObject({
      status: 429,
      retryAfterSeconds: undefined,
      resetsAt: Date.parse("2026-12-01T00:00:00Z"),
      message: "The monthly budget is spent; it resets at 2026-12-01T00:00:00.000Z.",
    });
  });

  test("that others have reserved is free again soon", () => {
    expect(ask(spending({ spent: 10, committed: 95 }), limits())).toMatchObject({ retryAfterSeconds: 2 });
  });
});

describe("a call that reserves nothing", () => {
  const counting = { reservedCost: undefined };

  test("passes beside any number of others, whatever they reserve", () => {
    expect(ask(spending({ spent: 10, committed: 10_000, inflight: 99 }), limits(), counting)).toBeUndefined();
  });

  test("is refused by a spent budget and takes its turn", () => {
    expect(ask(spending({ spent: 100 }), limits(), counting)?.code).toBe("budget_exceeded");
    expect(ask(spending({ tat: nowMicros + 10 ** 9 }), limits(), counting)?.code).toBe("rate_limited");
  });
});

describe("the free credit", () => {
  test("refuses who is alone only when it is used up", () => {
    const alone = credit({ spent: 999, committed: 999 }, 10 ** 6);
    expect(ask(spending(), limits(), { credit: alone })).toBeUndefined();
  });

  test("that is not there is used up", () => {
    const none = { state: { granted: 0, spent: 0, committed: 0 }, tokens: 1 };
    expect(ask(spending(), limits(), { credit: none })?.code).toBe("credit_exhausted");
  });

  test("does not come back, so no time is named", () => {
    const refusal = ask(spending(), limits(), { credit: credit({ spent: 1_000, committed: 1_000 }) });
    expect(refusal?.retryAfterSeconds).toBeUndefined();
    expect(refusal?.resetsAt).toBeUndefined();
    expect(refusal?.message).toMatch(/does not come back: the workspace needs a payment method/);
  });
});

test("the rate's text names the burst, which is the header's limit, and the refill", () => {
  const refusal = ask(spending({ tat: nowMicros + 10 ** 12 }), limits({ rate: { burst: 20, perMinute: 7 } }));
  expect(refusal?.message).toBe("The rate limit is a burst of 20, refilled by 7 a minute.");
});

test("one who comes too fast is told a time between 1 and 60 seconds that is long enough", () => {
  const rates = fc.record({ burst: fc.integer({ min: 1, max: 50 }), perMinute: fc.integer({ min: 1, max: 6_000 }) });
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 10 ** 9 }), (rate, late) => {
      const tat = nowMicros + tolerance(rate) + late;
      const refusal = ask(spending({ tat }), limits({ rate }));
      const seconds = refusal?.retryAfterSeconds ?? 0;
      expect(refusal?.code).toBe("rate_limited");
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      if (late <= 60_000_000) expect(seconds * 1_000_000).toBeGreaterThanOrEqual(late);
      expect(interval(rate)).toBeGreaterThan(0);
    }),
  );
});
