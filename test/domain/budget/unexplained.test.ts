// What nobody explains: the share that comes back, what stays drawn, and when whole answers are kept short.
import { describe, expect, test } from "@jest/globals";
import {
  amountBeyond,
  beyondShare,
  type ExplainedOwner,
  isKeptShort,
  keptBack,
  markOf,
  unexplainedOf,
} from "../../../domain/budget/unexplained.ts";
import { aRow } from "../../support/accounting/memory-metering.ts";

const trialCap = 50;
type Amounts = Record<string, number>;

function allowance(byMonth: Amounts, { paid = 0, paidBy = {} }: { paid?: number; paidBy?: Amounts } = {}) {
  const unexplained = { byMonth: new Map(Object.entries(byMonth)), paidBy: new Map(Object.entries(paidBy)) };
  return { paid, unexplained };
}

const owner = (tier: ExplainedOwner["tier"], byMonth: Amounts): ExplainedOwner => ({
  owner_sub: "ada",
  tier,
  allowance: allowance(byMonth),
});

test("whole answers of a workspace are kept short in the month of its mark only", () => {
  const marks = ["2026-11", "2026-10", undefined];
  expect(marks.map((unexplained_month) => isKeptShort({ unexplained_month }, "2026-11"))).toEqual([true, false, false]);
});

test("the unexplained part of a row is the bound less the known cost, and 0 if free credit or the platform pays", () => {
  const known = { cost: 10, tokens: 5 };
  expect(unexplainedOf(aRow("a", { cost: 100, known }))).toBe(90);
  expect(unexplainedOf(aRow("b", { cost: 100 }))).toBe(0);
  expect(unexplainedOf(aRow("c", { cost: 100, known, on_credit: true }))).toBe(0);
  expect(unexplainedOf(aRow("d", { cost: 100, known, on_platform: true }))).toBe(0);
});

describe("an owner in the first tier", () => {
  test("an owner in the first tier gets back unexplained usage up to a fifth of the trial's cap, and the rest stays drawn", () => {
    expect(keptBack({ paid: 0 }, "2026-11", trialCap)).toBe(0);
    expect(keptBack(allowance({ "2026-11": 10 }), "2026-11", trialCap)).toBe(0);
    expect(keptBack(allowance({ "2026-11": 45 }), "2026-11", trialCap)).toBe(35);
  });

  test("an owner in the first tier gets back a fifth of the rest in each further month, and nothing for a month without unexplained usage", () => {
    const months = ["2026-11", "2026-12", "2027-01", "2027-02", "2027-06"];
    expect(months.map((month) => keptBack(allowance({ "2026-11": 45 }), month, trialCap))).toEqual([35, 25, 15, 5, 0]);
    const again = allowance({ "2026-11": 45, "2027-06": 45 });
    expect(keptBack(again, "2027-06", trialCap)).toBe(35);
  });

  test("an owner in the first tier never gets back more than a fifth in a month, however it is spread", () => {
    const spread = allowance({ "2027-01": 30, "2026-11": 10, "2026-12": 10 });
    expect(["2026-11", "2026-12", "2027-01", "2027-02"].map((month) => keptBack(spread, month, trialCap))).toEqual([
      0, 0, 20, 10,
    ]);
  });

  test("an owner in the first tier is not marked for unexplained usage, because the allowance is the limit", () => {
    expect(markOf(owner("starter", { "2026-11": 500 }), "2026-11", trialCap)).toBeUndefined();
    expect(amountBeyond(owner("starter", { "2026-11": 500 }), "2026-11", trialCap)).toBe(490);
  });
});

describe("an owner without a cap", () => {
  const paidBy = { "2026-11": 1_000, "2026-07": 100, "2026-09": 400, "2026-08": 300, "2026-10": 900 };
  const beyond = (amount: number, more = { paid: 1_000, paidBy }) =>
    beyondShare(allowance({ "2026-11": amount }, more), "2026-11", trialCap);

  test("an owner without a cap may have unexplained usage of a fifth of what was paid since the beginning of the last month", () => {
    // 1,000 less the 400 that were paid until the end of September.
    expect([beyond(120), beyond(121)]).toEqual([0, 1]);
  });

  test("an owner without a cap who paid nothing since then has the same share as the first tier", () => {
    expect([beyond(10, { paid: 0, paidBy: {} as never }), beyond(11, { paid: 0, paidBy: {} as never })]).toEqual([
      0, 1,
    ]);
  });

  test("the alarm rings for what an owner in the first tier owes of earlier months, and for this month's excess of an owner without a cap", () => {
    const amounts = (["starter", "pro"] as const).map((tier) =>
      ["2026-11", "2026-12"].map((month) => amountBeyond(owner(tier, { "2026-11": 45 }), month, trialCap)),
    );
    expect(amounts).toEqual([
      [35, 25],
      [35, 0],
    ]);
  });

  test("an owner without a cap is marked for unexplained usage of this month only", () => {
    expect(markOf(owner("pro", { "2026-11": 11 }), "2026-11", trialCap)).toBe("2026-11");
    expect(markOf(owner("enterprise", { "2026-11": 11 }), "2026-12", trialCap)).toBeUndefined();
    expect(markOf(owner("pro", { "2026-11": 10 }), "2026-11", trialCap)).toBeUndefined();
  });
});
