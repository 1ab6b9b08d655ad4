import { beforeEach, describe, expect, test } from "@jest/globals";
import { type UnexplainedChange, unexplainedMessage } from "../../../domain/budget/unexplained.ts";
import { Closing, patienceMs } from "../../../domain/metering/closing.ts";
import type { FrozenHourReport } from "../../../domain/metering/hour-report.ts";
import { aRow, MemoryMetering } from "../../support/accounting/memory-metering.ts";
import { usageBy } from "../../support/accounting/usage-by.ts";
import { chance, Interleaving } from "../../support/interleaving.ts";
import { sizes } from "../../support/sizes.ts";

const hour = "2026-11-21T05";
const soon = Date.parse("2026-11-21T06:10:00Z");
const late = Date.parse("2026-11-21T06:00:00Z") + patienceMs;

let store: MemoryMetering;
let now: number;
let closing: Closing;
beforeEach(() => {
  store = new MemoryMetering();
  now = soon;
  closing = new Closing({ ...store, clock: () => now });
});

const reportOf = (of = hour) => store.reportsOf.get(`t1 ${of}`);
const rolledUp = (of = hour) => usageBy(store.rollupsOf.get(`t1 ${of}`)?.rollups ?? [], [])[0];

describe("an hour whose rows are all final", () => {
  test("an hour whose rows are all final is closed at once: it is rolled up, its amount is frozen and added to the total", async () => {
    store.put(aRow("a", { cost: 1 }), aRow("b", { cost: 2 }), aRow("c", { cost: 4, caller_id: "other" }));
    expect(await closing.close("t1", hour)).toBe(true);
    expect([reportOf()?.value, store.totalOf.get("t1")]).toEqual([7, 7]);
    expect(rolledUp()).toMatchObject({ requests: 3, cost: 7 });
  });

  test("closing an hour gives back to the owner's allowance what was drawn and will not be invoiced", async () => {
    const given: unknown[] = [];
    const freeze = async (of: FrozenHourReport) => {
      given.push(of.givenBack);
      return "frozen" as const;
    };
    const reports = { ...store.reports, freeze };
    const allowances = { ownerOf: async () => "ada" };
    closing = new Closing({ ...store, reports, allowances, clock: () => now });
    const known = { cost: 10, tokens: 5 };
    store.creditOf.set("t1", { granted: 30, spent: 0, committed: 0 });
    store.put(aRow("a", { known }), aRow("b", { on_credit: true }), aRow("c", { cost: 1 }));
    await closing.close("t1", hour);
    // The cut call is billed at what is known of it, and the credit pays that and 25 of the 30 tokens of the last one.
    expect(given).toEqual([{ ownerSub: "ada", amount: 100 }]);
    now = late;
    store.put(aRow("d", { known, provisional: true, admitted_at: "2026-11-21T04:10:00.000Z" }));
    await closing.close("t1", "2026-11-21T04");
    // A call whose end nobody ever tells is billed at what is known of it.
    expect(given.at(-1)).toEqual({ ownerSub: "ada", amount: 90 });
    store.put(aRow("e", { cost: 40, billed: 10, admitted_at: "2026-11-21T03:10:00.000Z" }));
    await closing.close("t1", "2026-11-21T03");
    expect(given.at(-1)).toBeUndefined();
    // One that was corrected since its report was begun: its caller's slices are less already.
    store.put(aRow("f", { cost: 40, billed: 10, given_back: 90, admitted_at: "2026-11-21T02:10:00.000Z" }));
    await closing.close("t1", "2026-11-21T02");
    expect(given.at(-1)).toEqual({ ownerSub: "ada", amount: 90 });
  });

  test("closing an hour counts unexplained usage once before giving it back, and raises an alarm once it exceeds a share", async () => {
    const calls: unknown[] = [];
    const counted = new Map<string, number>();
    const unexplained = {
      counted: async () => counted.get(hour) ?? 0,
      count: async (_tenant: string, of: string, { from, to }: UnexplainedChange) => {
        calls.push({ from, to });
        if ((counted.get(of) ?? 0) !== from) return false;
        counted.set(of, to);
        return true;
      },
      ownerOf: async () => ({
        ...{ owner_sub: "ada", tier: "starter" as const },
        allowance: {
          drawn: 0,
          paid: 0,
          unexplained: { byMonth: new Map([["2026-11", counted.get(hour) ?? 0]]), paidBy: new Map() },
        },
      }),
    };
    const reports = {
      ...store.reports,
      freeze: (report: FrozenHourReport) => {
        calls.push("freeze");
        return store.reports.freeze(report);
      },
    };
    const lines: unknown[] = [];
    const log = { problem: (message: string, facts: object) => void lines.push({ message, facts }) };
    const lateCorrections = {
      ...store.lateCorrections,
      get: async () => ({ tenant_id: "t1", id: "a", hour, difference: 0 }),
    };
    closing = new Closing({ ...store, unexplained, reports, lateCorrections, log, trialCap: 100, clock: () => now });
    store.put(aRow("a", { cost: 100, known: { cost: 10, tokens: 5 } }), aRow("b", { cost: 7 }));
    await closing.close("t1", hour);
    await closing.close("t1", hour);
    expect(calls).toEqual([{ from: 0, to: 90 }, "freeze", "freeze"]);
    const beyond = { tenant_id: "t1", hour, nano_usd: 90, beyond_nano_usd: 70 };
    expect(lines).toEqual([{ message: unexplainedMessage, facts: beyond }]);
    // A row that was explained after all is counted no more.
    store.put(aRow("a", { cost: 12, billed: 10, given_back: 90 }));
    await closing.rollUpAgain({ tenant_id: "t1", id: "a" });
    expect(calls.at(-1)).toEqual({ from: 90, to: 0 });
    expect(lines).toHaveLength(1);
  });

  test("an hour paid by free credit is rolled up but not reported", async () => {
    store.put(aRow("a", { cost: 1 }), aRow("b", { cost: 2, on_credit: true }));
    await closing.close("t1", hour);
    expect(reportOf()?.value).toBe(1);
    expect(rolledUp()).toMatchObject({ cost: 3, credit: 2 });
  });

  test("a paying tenant's free credit is drawn first, once for each hour, however often the hour is closed", async () => {
    store.creditOf.set("t1", { granted: 45, spent: 0, committed: 0 });
    store.put(aRow("a"), aRow("b"));
    await closing.close("t1", hour);
    await closing.close("t1", hour);
    expect([reportOf()?.value, rolledUp()?.cost, rolledUp()?.credit]).toEqual([50, 200, 150]);
    expect(store.creditOf.get("t1")).toEqual({ granted: 45, spent: 45, committed: 45 });
  });

  test("an hour is added up again if another hour drew the credit first", async () => {
    store.creditOf.set("t1", { granted: 45, spent: 0, committed: 0 });
    store.put(aRow("a"), aRow("b", { admitted_at: "2026-11-21T04:10:00.000Z" }));
    const { effect } = store;
    store.effect = async (name, act) => {
      if (name !== "freeze") return effect(name, act);
      store.effect = effect;
      await closing.close("t1", "2026-11-21T04");
      return act();
    };
    await closing.close("t1", hour);
    expect([reportOf()?.value, reportOf("2026-11-21T04")?.value]).toEqual([50, 0]);
    expect(store.creditOf.get("t1")?.spent).toBe(45);
  });

  test("an hour's rollup contains the part that credit paid, even after a failure between report and rollup, or a correction", async () => {
    store.creditOf.set("t1", { granted: 45, spent: 0, committed: 0 });
    store.put(aRow("a"), aRow("b", { caller_id: "other" }));
    const { effect } = store;
    store.effect = async (name, act) => {
      if (name === "rollups") throw new Error("the function died");
      return effect(name, act);
    };
    await expect(closing.close("t1", hour)).rejects.toThrow("died");
    store.effect = effect;
    await closing.close("t1", hour);
    const credits = () =>
      Object.fromEntries((store.rollupsOf.get(`t1 ${hour}`)?.rollups ?? []).map((one) => [one.caller_id, one.credit]));
    expect([credits(), reportOf()?.value]).toEqual([{ dev: 100, other: 50 }, 50]);
    store.adjustments.set("b", { tenant_id: "t1", id: "b", hour, difference: 0 });
    store.creditOf.set("t1", { granted: 1_000, spent: 45, committed: 45 });
    await closing.rollUpAgain({ tenant_id: "t1", id: "b" });
    expect(credits()).toEqual({ dev: 100, other: 50 });
  });

  test("a closed hour whose rows are all final keeps its first amount, however often it is closed", async () => {
    store.put(aRow("a", { cost: 1 }));
    await closing.close("t1", hour);
    store.put(aRow("b", { cost: 5 }));
    expect(await closing.close("t1", hour)).toBe(true);
    expect(reportOf()?.value).toBe(1);
  });

  test("an hour is read a page at a time, and only its groups are kept in memory", async () => {
    store.put(...Array.from({ length: 9 }, (_, index) => aRow(`r${index}`, { cost: 1 })));
    await closing.close("t1", hour);
    expect(store.calls.filter((call) => call === "hour")).toHaveLength(6);
    expect(store.rollupsOf.get(`t1 ${hour}`)?.rollups).toHaveLength(1);
  });
});

test("an hour without rows is closed, and nothing is written for it", async () => {
  expect(await closing.close("t1", hour)).toBe(true);
  expect(reportOf()).toBeUndefined();
  expect(store.calls).not.toContain("credit");
});

describe("an hour with a provisional row", () => {
  beforeEach(() =>
    store.put(aRow("a", { cost: 1 }), aRow("dead", { cost: 50, provisional: true, source: "estimated" })),
  );

  test("an hour with a provisional row is rolled up, but not reported while the true usage may come", async () => {
    expect(await closing.close("t1", hour)).toBe(false);
    expect(rolledUp()?.cost).toBe(51);
    expect(reportOf()).toBeUndefined();
  });

  test("an hour with a provisional row is closed at the true usage once that has come", async () => {
    await closing.close("t1", hour);
    await store.correct(aRow("dead", { cost: 50 }), aRow("dead", { cost: 3 }));
    expect(await closing.close("t1", hour)).toBe(true);
    expect([reportOf()?.value, rolledUp()?.cost]).toEqual([4, 4]);
  });

  test("an hour with a provisional row is reported with the booked amount after a day, and the true usage then changes the total", async () => {
    now = late;
    expect(await closing.close("t1", hour)).toBe(true);
    expect([reportOf()?.value, store.totalOf.get("t1")]).toEqual([51, 51]);
    await store.correct(aRow("dead", { cost: 50 }), aRow("dead", { cost: 3 }));
    for (let run = 0; run < 2; run++) await closing.rollUpAgain({ tenant_id: "t1", id: "dead" });
    expect([rolledUp()?.cost, reportOf()?.value, store.totalOf.get("t1")]).toEqual([4, 51, 4]);
    expect(store.adjustments.size).toBe(0);
  });
});

test("a slower job does not restore the rollup that it read before", async () => {
  store.put(aRow("a", { cost: 1 }));
  const { effect } = store;
  let isFirst = true;
  let faster: Promise<unknown> | undefined;
  store.effect = async (name, act) => {
    if (name === "rollups" && isFirst) {
      isFirst = false;
      store.put(aRow("b", { cost: 5 }));
      now += 1;
      faster = closing.close("t1", hour);
      await faster;
    }
    return effect(name, act);
  };
  await closing.close("t1", hour);
  expect(rolledUp()?.cost).toBe(6);
});

/** Corrections and closings of four hours at once, with lost answers and dying jobs; then six hours more. */
async function played(seed: number): Promise<{ total: number; truth: number; wrongRollups: number }> {
  const random = chance(seed);
  const chaos = new Interleaving(random);
  store = new MemoryMetering();
  now = late + 10 * 3_600_000;
  closing = new Closing({ ...store, clock: () => now++ });
  let isCalm = false;
  store.effect = async (_name, act) => {
    if (!isCalm) await chaos.turn();
    const result = act();
    if (!isCalm && random() < 0.1) throw new Error("the answer is lost");
    return result;
  };
  const hours = Array.from({ length: 4 }, (_, index) => `2026-11-21T0${index}`);
  const corrections: (() => Promise<void>)[] = [];
  let truth = 0;
  for (const of of hours) {
    for (let row = 0; row < 3; row++) {
      const bound = 1 + Math.floor(random() * 20);
      const isDead = random() < 0.5;
      const cost = isDead ? Math.floor(random() * (bound + 1)) : bound;
      truth += cost;
      const booked = aRow(`${of}.${row}`, { admitted_at: `${of}:01:00.000Z`, cost: bound });
      store.put(isDead ? { ...booked, provisional: true } : booked);
      if (isDead) corrections.push(() => untilDone(() => store.correct(booked, { ...booked, cost })));
    }
  }
  const closings = [...hours, ...hours].map((of) => () => untilDone(() => closing.close("t1", of)));
  await chaos.play([...corrections, ...closings]);
  isCalm = true;
  for (let index = 4; index < 10; index++) {
    for await (const late of store.lateCorrections.of(0)) await closing.rollUpAgain(late);
    const of = `2026-11-21T0${index}`;
    store.put(aRow(of, { admitted_at: `${of}:01:00.000Z`, cost: 60 }));
    truth += 60;
    await closing.close("t1", of);
  }
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const costs = Map.groupBy(store.rows.values(), ({ admitted_at }) => admitted_at.slice(0, 13));
  return {
    total: store.totalOf.get("t1") ?? 0,
    truth,
    wrongRollups: [...costs].filter(([of, rows]) => rolledUp(of)?.cost !== sum(rows.map(({ cost }) => cost))).length,
  };
}

/** As a job does that is repeated. */
async function untilDone(act: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      await act();
      return;
    } catch {}
  }
  throw new Error("it never ended");
}

test("the total and the rollups are correct in the end, whatever the interleaving", async () => {
  for (let seed = 1; seed <= sizes.closings; seed++) {
    const { total, truth, wrongRollups } = await played(seed);
    expect({ seed, total, wrongRollups }).toEqual({ seed, total: truth, wrongRollups: 0 });
  }
});
