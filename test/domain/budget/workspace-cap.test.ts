import { describe, expect, test } from "@jest/globals";
import { isCapped, markOf, workspaceCapped } from "../../../domain/budget/workspace-cap.ts";
import { maxNanoUsd } from "../../../domain/kernel/money.ts";

const usd = 1_000_000_000;
const month = "2026-11";
const mark = (dollars: number, of = month) => ({ month: of, spent: dollars * usd });

describe("a workspace is stopped", () => {
  test.each([
    ["without a cap or mark", undefined, undefined, false],
    ["without a mark", 10, undefined, false],
    ["at the cap", 10, mark(10), true],
    ["beyond it", 10, mark(11), true],
    ["once the cap is raised above what was spent", 12, mark(11), false],
    ["when it is raised by too little", 10.5, mark(11), true],
    ["once the cap is taken away", undefined, mark(11), false],
    ["by the mark of another month", 10, mark(11, "2026-10"), false],
    ["at once by a cap of nothing", 0, undefined, true],
  ])("%s", (_, monthly_cap_usd, capped_month, expected) => {
    expect(isCapped({ monthly_cap_usd, capped_month }, month)).toBe(expected);
  });
});

describe("the mark that should stand", () => {
  const whole = { month, isWhole: true };

  test("a workspace is marked as capped with the amount spent once it reaches the cap, and the mark grows with it", () => {
    expect(markOf({ monthly_cap_usd: 10 }, { ...whole, spent: 10 * usd - 1 })).toBeUndefined();
    expect(markOf({ monthly_cap_usd: 10 }, { ...whole, spent: 10 * usd })).toEqual(mark(10));
    expect(markOf({ monthly_cap_usd: 10, capped_month: mark(10) }, { ...whole, spent: 11 * usd })).toEqual(mark(11));
  });

  test("a workspace is not marked as capped after a correction below the cap, a raise, or in a new month", () => {
    for (const cap of [{ monthly_cap_usd: 10 }, { monthly_cap_usd: 20 }, {}]) {
      expect(markOf({ ...cap, capped_month: mark(10) }, { ...whole, spent: 9 * usd })).toBeUndefined();
    }
    const old = { monthly_cap_usd: 10, capped_month: mark(10, "2026-10") };
    expect(markOf(old, { ...whole, spent: 0 })).toBeUndefined();
  });

  test("the mark of a capped workspace stays if not all callers could be read, unless the others reach the cap", () => {
    const partly = { month, isWhole: false };
    const marked = { monthly_cap_usd: 10, capped_month: mark(10) };
    expect(markOf(marked, { ...partly, spent: 1 })).toEqual(mark(10));
    expect(markOf({ monthly_cap_usd: 10 }, { ...partly, spent: 1 })).toBeUndefined();
    expect(markOf({ monthly_cap_usd: 10 }, { ...partly, spent: 12 * usd })).toEqual(mark(12));
  });

  test("the mark of a capped workspace contains only exact numbers", () => {
    expect(markOf({ monthly_cap_usd: 9_000_000 }, { ...whole, spent: 2 ** 54 })?.spent).toBe(maxNanoUsd);
  });
});

test("the refusal by a workspace's cap says whose cap it is, who can raise it, and when it resets", () => {
  const refusal = workspaceCapped(Date.parse("2026-12-01"));
  expect([refusal.code, refusal.resetsAt]).toEqual(["cap_reached", Date.parse("2026-12-01")]);
  expect(refusal.message).toMatch(/workspace's monthly cap.*owner can raise it.*2026-12-01T00:00:00\.000Z/);
});
