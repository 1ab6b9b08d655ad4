import { beforeEach, expect, test } from "@jest/globals";
import {
  type IdleSliceStore,
  IdleSlices,
  reservedOf,
  type SliceHolder,
  sliceMonths,
} from "../../../domain/budget/idle-slices.ts";
import { plannedReservation } from "../../../domain/budget/plan.ts";
import { nothingSpent, type Spending } from "../../../domain/budget/spending.ts";
import { asking } from "../../support/accounting/admissions.ts";

const now = Date.parse("2026-11-21T05:00:00Z");
let drawn: number | undefined;
let holders: SliceHolder[];
let taken: string[][];
let failing: boolean;
let asked: { months?: readonly string[]; until?: number; end?: [number, object] };
beforeEach(() => {
  drawn = 10_000;
  [holders, taken, failing, asked] = [[], [], false, {}];
});

const store: IdleSliceStore = {
  begin: async (_, { until }) => {
    asked.until = until;
    return drawn;
  },
  holders: async (_, months) => {
    asked.months = months;
    return holders;
  },
  takeBack: async (_, callers) => {
    taken.push(callers.map(({ key }) => key.callerId));
    if (failing) throw new Error("no answer");
    return callers.length;
  },
  end: async (_, until, stock) => {
    asked.end = [until, stock];
  },
};
const takeBack = () => new IdleSlices({ store, clock: () => now }).takeBack("owner");

const holder = (callerId: string, spending: Partial<Spending>): SliceHolder => ({
  key: { tenantId: "t1", callerId, month: "2026-11" },
  spending: { ...nothingSpent, ...spending },
});
const reservation = (leaseEndsAt: number) => ({
  ...plannedReservation(
    asking("r1"),
    { kind: "reserve", maxTokens: 3 },
    { now, version: 0, admittedAt: now, onCredit: false },
  ),
  leaseEndsAt,
});

test("idle slices are taken back from the caller with the largest first, and from nobody who uses all of them or overdraws", async () => {
  holders = [
    holder("small", { allowance: 12, committed: 10 }),
    holder("large", { allowance: 50, committed: 10 }),
    holder("none", { allowance: 10, committed: 10 }),
    holder("overdrawing", { allowance: 90, committed: 10, overdraft: "r1", reservations: [reservation(now)] }),
    holder("middle", { allowance: 20, committed: 10 }),
  ];
  expect(await takeBack()).toMatchObject({ freed: 3 });
  expect(taken).toEqual([["large", "middle", "small"]]);
});

test.each([
  [0, []],
  [24, [24]],
  [25, [24, 1]],
  [121, [24, 24, 24, 24, 24]],
])("idle slices of %i callers are taken back from 24 at once, in five transactions at most", async (count, sizes) => {
  holders = Array.from({ length: count }, (_, n) => holder(`c${n}`, { allowance: 1 }));
  await takeBack();
  expect(taken.map(({ length }) => length)).toEqual(sizes);
});

test("a take-back counts nothing for callers whose slices it could not take", async () => {
  holders = [holder("busy", { allowance: 10 })];
  failing = true;
  expect(await takeBack()).toEqual({ at: now, inFlight: 0, freed: 0 });
});

test("a take-back tells others what was drawn after it, and what calls in flight hold, but for calls that are thought dead", async () => {
  holders = [
    holder("one", { allowance: 20, committed: 10, reservations: [reservation(now), reservation(now - 3_001)] }),
    holder("other", { allowance: 20, committed: 20, reservations: [reservation(now + 80_000)] }),
  ];
  expect(await takeBack()).toEqual({ at: now, inFlight: 20, freed: 1 });
  expect(asked).toEqual({
    until: now + 5_000,
    months: ["2026-11"],
    end: [now + 5_000, { at: now, inFlight: 20, drawn: 9_999 }],
  });
});

test("a take-back reads no caller while another function takes back", async () => {
  drawn = undefined;
  expect(await takeBack()).toBeUndefined();
  expect(asked).not.toHaveProperty("months");
});

test("callers may hold slices of the last month until an hour of the next has passed", () => {
  const at = (time: string) => sliceMonths(Date.parse(time));
  expect(at("2026-12-01T00:59:59.999Z")).toEqual(["2026-12", "2026-11"]);
  expect(at("2026-12-01T01:00:00.000Z")).toEqual(["2026-12"]);
});

test("the reserved part of an owner's slices is what callers drew and did not spend", () => {
  const all = [{ allowance: 20, spent: 5 }, { allowance: 5, spent: 6 }, { spent: 7 }];
  expect(reservedOf(all.map((spending, n) => holder(`c${n}`, spending)))).toBe(15);
});
