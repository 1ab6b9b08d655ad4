import { describe, expect, test } from "@jest/globals";
import { allHold } from "../../../domain/budget/guard.ts";
import { type AdmissionRequest, moveInGuards, plannedReservation, planOf } from "../../../domain/budget/plan.ts";
import type { Credit, Limits, Spending } from "../../../domain/budget/spending.ts";
import { nothingSpent } from "../../../domain/budget/spending.ts";

const resetsAt = Date.parse("2026-12-01T00:00:00Z");

function limits(changes: Partial<Limits> = {}): Limits {
  return { cap: 1_000_000, enforcement: "reserved", maxInFlight: 20, rate: { burst: 2, perMinute: 60 }, ...changes };
}

/** Its prompt costs 1,000, each token of its answer 1. */
function asking(maxTokens: number, changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    requestId: "r1",
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    maxTokens,
    thinkingTokens: 0,
    boundsAt: (output) => ({ input: 400, output }),
    costAt: (output) => 1_000 + output,
    ...changes,
  };
}

function plan(
  state: Partial<Spending>,
  ask: AdmissionRequest,
  options: { limits?: Partial<Limits>; credit?: Partial<Credit>; holdsTicket?: boolean } = {},
) {
  const { limits: changes, credit, holdsTicket } = options;
  const spending = { ...nothingSpent, ...state };
  const granted = { granted: 10_000, spent: 0, committed: 0, reservations: [], ...credit };
  return planOf({ spending, ...(credit && { credit: granted }) }, limits(changes), ask, {
    resetsAt,
    ...(holdsTicket && { holdsTicket }),
  });
}

describe("a call that fits", () => {
  test("a call that fits reserves the requested amount", () => {
    expect(plan({}, asking(128_000))).toEqual({ kind: "reserve", maxTokens: 128_000 });
  });

  test("a call is not shortened only if as many equal calls as are in flight would fit beside it, at most eight", () => {
    const ask = asking(30_000);
    const beside = (inflight: number, room: number) =>
      plan({ inflight, committed: 1_000_000 - room, spent: 1 }, ask) as { maxTokens: number };
    expect(beside(2, 1_000 + 3 * 30_000).maxTokens).toBe(30_000);
    expect(beside(2, 1_000 + 3 * 30_000 - 1).maxTokens).toBe(16_384);
    expect(beside(15, 1_000 + 8 * 30_000).maxTokens).toBe(30_000);
    expect(beside(15, 1_000 + 8 * 30_000 - 1).maxTokens).toBe(16_384);
  });

  test("a call that fits does not count its own ticket as another call", () => {
    const state = { inflight: 1, committed: 1_000_000 - 31_000, spent: 1 };
    expect(plan(state, asking(30_000), { holdsTicket: true })).toEqual({ kind: "reserve", maxTokens: 30_000 });
  });
});

describe("a call that does not fit whole", () => {
  const beside = (room: number) => ({ inflight: 1, committed: 1_000_000 - room, spent: 1, overdraft: "another" });

  test.each([
    [64_000, 1_000 + 2 * 64_000],
    [32_000, 1_000 + 2 * 64_000 - 1],
    [32_000, 1_000 + 2 * 32_000],
    [16_384, 1_000 + 2 * 32_000 - 1],
    [16_384, 1_000 + 2 * 16_384],
    [8_192, 1_000 + 2 * 16_384 - 1],
    [8_192, 1_000 + 8_192],
  ])("a call that does not fit completely is shortened to %i with %i left", (maxTokens, room) => {
    expect(plan(beside(room), asking(128_000))).toEqual({ kind: "reserve", maxTokens });
  });

  test("a call that does not fit waits if not even the shortest answer fits and another call overdraws", () => {
    expect(plan(beside(1_000 + 8_191), asking(128_000))).toMatchObject({
      kind: "wait",
      refusal: { code: "budget_reserved" },
    });
  });

  test("a call that does not fit completely keeps 4,096 tokens beside its thinking", () => {
    const thinking = asking(128_000, { thinkingTokens: 20_000 });
    expect(plan(beside(1_000 + 24_096), thinking)).toEqual({ kind: "reserve", maxTokens: 24_096 });
    expect(plan(beside(1_000 + 24_095), thinking).kind).toBe("wait");
    expect(plan(beside(1_000 + 2 * 16_384), thinking)).toEqual({ kind: "reserve", maxTokens: 24_096 });
  });

  test("a call that does not fit completely is never raised to the shortest answer", () => {
    expect(plan(beside(1_000 + 500), asking(500))).toEqual({ kind: "reserve", maxTokens: 500 });
    expect(plan(beside(1_000 + 499), asking(500)).kind).toBe("wait");
  });

  test("a call that does not fit completely overdraws in full if it is the only one", () => {
    const alone = { spent: 999_999, committed: 999_999 };
    expect(plan(alone, asking(128_000))).toEqual({ kind: "overdraw", maxTokens: 128_000 });
  });

  test("a call that does not fit overdraws beside others, shortened as far as the answers of all would fit", () => {
    const state = (room: number) => ({ inflight: 1, committed: 1_000_000 - room, spent: 1 });
    const dear = asking(128_000, { costAt: (output) => 900_000 + output });
    expect(plan(state(2 * 32_000), dear)).toEqual({ kind: "overdraw", maxTokens: 32_000 });
    expect(plan(state(1), dear)).toEqual({ kind: "overdraw", maxTokens: 8_192 });
  });

  test("a call that does not fit waits once everything is committed, beside others or not", () => {
    expect(plan({ inflight: 1, committed: 1_000_000, spent: 1 }, asking(500)).kind).toBe("wait");
  });
});

describe("a budget", () => {
  test("a spent budget refuses, and says who can raise it and when it resets, to the second", () => {
    expect(plan({ spent: 1_000_000, committed: 1_000_000 }, asking(1))).toMatchObject({
      kind: "refuse",
      refusal: {
        code: "budget_exceeded",
        retryAfterSeconds: undefined,
        resetsAt,
        message:
          "The monthly budget is spent. The workspace's owner can raise it; it resets at 2026-12-01T00:00:00.000Z.",
      },
    });
  });

  test("a budget of 0 is spent from the beginning", () => {
    expect(plan({}, asking(1), { limits: { cap: 0 } })).toMatchObject({ refusal: { code: "budget_exceeded" } });
  });

  test("a budget with the enforcement `spent` ignores what others reserve", () => {
    const plain = { limits: { enforcement: "spent" } } as const;
    expect(plan({ spent: 10, committed: 10 ** 12 }, asking(128_000), plain)).toEqual({
      kind: "reserve",
      maxTokens: 128_000,
    });
    expect(plan({ spent: 1_000_000 }, asking(1), plain).kind).toBe("refuse");
  });

  test("an owner without a grant has no budget", () => {
    const owner = { limits: { cap: undefined } };
    expect(plan({ spent: 10 ** 12, committed: 10 ** 12, inflight: 19 }, asking(128_000), owner).kind).toBe("reserve");
  });
});

test("a full window refuses a call if it is spent, and lets the call wait if calls in flight may give enough back", () => {
  const made = { now: 0, version: 0, admittedAt: 0, onCredit: false };
  const held = plannedReservation(asking(100), { kind: "reserve", maxTokens: 100 }, made);
  const window = { name: "d21", cap: 1_000, title: "today's budget", resetsAt };
  const kindAt = (counted: number) =>
    plan(
      { inflight: 1, windows: { d21: counted }, reservations: [{ ...held, held: { d21: 200 } }] },
      asking(100, { requestId: "r2" }),
      { limits: { windows: [window] } },
    ).kind;
  expect([1_200, 1_199, 1_000, 999].map(kindAt)).toEqual(["refuse", "wait", "wait", "reserve"]);
});

test("the limit of calls in flight refuses the next call, however much budget is left", () => {
  expect(plan({ inflight: 20 }, asking(1))).toMatchObject({ kind: "busy", refusal: { code: "concurrency_limited" } });
  expect(plan({ inflight: 20 }, asking(1), { holdsTicket: true }).kind).toBe("reserve");
});

describe("the free credit", () => {
  const full = asking(128_000);

  test("free credit shortens an answer to what is left plus one more grant", () => {
    expect(plan({}, full, { credit: {} })).toEqual({ kind: "reserve", maxTokens: 20_000 - 400 });
    const withFixed = asking(128_000, { boundsAt: (output) => ({ input: 400, output: output + 50 }) });
    expect(plan({}, withFixed, { credit: {} })).toEqual({ kind: "reserve", maxTokens: 20_000 - 450 });
    expect(plan({}, full, { credit: { spent: 9_999, committed: 9_999 } })).toEqual({
      kind: "reserve",
      maxTokens: 10_001 - 400,
    });
  });

  test("free credit never shortens an answer below 1,024 tokens, or 1,024 beside its thinking", () => {
    const credit = (committed: number) => ({ credit: { spent: 1, committed } });
    expect(plan({}, full, credit(20_000 - 400 - 1_024))).toEqual({ kind: "reserve", maxTokens: 1_024 });
    expect(plan({}, full, credit(20_000 - 400 - 1_023)).kind).toBe("wait");
    const thinking = asking(128_000, { thinkingTokens: 5_000 });
    expect(plan({}, thinking, credit(20_000 - 400 - 6_024))).toEqual({ kind: "reserve", maxTokens: 6_024 });
    expect(plan({}, thinking, credit(20_000 - 400 - 6_023)).kind).toBe("wait");
  });

  test("a refusal because free credit is too small for a prompt says how much is left and how much the request can use", () => {
    const large = asking(128_000, { boundsAt: (output) => ({ input: 19_500, output }) });
    expect(plan({}, large, { credit: { spent: 4_000, committed: 4_000 } })).toMatchObject({
      kind: "refuse",
      refusal: {
        code: "credit_exhausted",
        message:
          "Too little free credit: 6000 of 10000 tokens of the free credit are left, and this request can use 20524, by the size of its body. " +
          "A payment method ends this limit within a minute.",
      },
    });
  });

  test("a refusal because free credit is too small for a counted prompt says the count, which count_tokens returns, too", () => {
    const counted = asking(50, { boundsAt: (output) => ({ input: 20_000, output }), countedInput: 19_000 });
    expect(plan({}, counted, { credit: {} })).toMatchObject({
      refusal: {
        message: expect.stringContaining("this request can use 19050: 19000 for its prompt, as count_tokens tells"),
      },
    });
  });

  test("a call that would not fit into the free credit even after other settlements does not wait", () => {
    const large = asking(50, { boundsAt: (output) => ({ input: 19_990, output }) });
    expect(plan({}, large, { credit: { spent: 0, committed: 500 } })).toMatchObject({
      kind: "refuse",
      refusal: { code: "credit_exhausted" },
    });
    const of = (input: number) => asking(50, { boundsAt: (output) => ({ input, output }) });
    const kinds = [15_950, 15_951].map(
      (input) => plan({}, of(input), { credit: { spent: 4_000, committed: 4_001 } }).kind,
    );
    expect(kinds).toEqual(["wait", "refuse"]);
  });

  test("a refusal because free credit is used up names no time, since it does not come back", () => {
    expect(plan({}, full, { credit: { spent: 10_000, committed: 10_000 } })).toMatchObject({
      kind: "refuse",
      refusal: {
        ...{ code: "credit_exhausted", retryAfterSeconds: undefined, resetsAt: undefined },
        message: expect.stringContaining("is used up and does not come back"),
      },
    });
  });

  test("free credit that was not granted yet counts as used up, and the refusal says that it comes", () => {
    const message = expect.stringContaining("no free credit yet");
    expect(plan({}, full, { credit: { granted: 0 } })).toMatchObject({
      refusal: { code: "credit_exhausted", message },
    });
  });

  test("free credit is checked after the budget and before calls in flight", () => {
    const spent = { credit: { spent: 10_000, committed: 10_000 } };
    expect(plan({ inflight: 20 }, full, spent)).toMatchObject({ refusal: { code: "credit_exhausted" } });
    expect(plan({ spent: 1_000_000 }, full, spent)).toMatchObject({ refusal: { code: "budget_exceeded" } });
  });
});

describe("a reservation", () => {
  const plan = { kind: "reserve", maxTokens: 100 } as const;
  const made = { now: 0, version: 0, admittedAt: 0, onCredit: false };
  const windows = [{ name: "d21", cap: 1_000, title: "today's budget", resetsAt }];

  test("a reservation notes the estimated cost of its prompt, if that is known", () => {
    expect(plannedReservation(asking(100, { known: 40 }), plan, made)).toMatchObject({ amount: 1_100, known: 40 });
    expect(plannedReservation(asking(100), plan, made)).not.toHaveProperty("known");
  });

  test("a reservation of a workspace that nobody pays for says so", () => {
    expect(plannedReservation(asking(100), plan, { ...made, onPlatform: true })).toMatchObject({ onPlatform: true });
    expect(plannedReservation(asking(100), plan, made)).not.toHaveProperty("onPlatform");
  });

  test.each([1_000_000, undefined])("a reservation moves into a budget of %s only if it is the overdraft", (cap) => {
    const guards = moveInGuards({ cap }, plannedReservation(asking(100), { kind: "overdraw", maxTokens: 100 }, made));
    expect(allHold(guards, { ...nothingSpent, overdraft: "r1" })).toBe(true);
    expect(allHold(guards, { ...nothingSpent, overdraft: "another" })).toBe(false);
  });

  test("a reservation holds its likely cost of each window, and a ticket holds nothing", () => {
    expect(plannedReservation(asking(100), plan, { ...made, windows })).toMatchObject({ held: { d21: 1_100 } });
    expect(plannedReservation(asking(100), undefined, { ...made, windows })).not.toHaveProperty("held");
    expect(plannedReservation(asking(100), plan, { ...made, windows: [] })).not.toHaveProperty("held");
  });
});
