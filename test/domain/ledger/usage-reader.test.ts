import { beforeEach, describe, expect, test } from "@jest/globals";
import { hourMs, hourOf, startOfHour } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import type { TenantProgress } from "../../../domain/ledger/metering-progress.ts";
import { nothingUsed, type Rollup } from "../../../domain/ledger/rollup.ts";
import { maxOpenHours, maxRows, type UsageQuestion, UsageReader } from "../../../domain/ledger/usage-reader.ts";
import { aRow } from "../../support/accounting/memory-metering.ts";

const now = Date.parse("2026-11-21T05:30:00Z");
const at = (time: string) => Date.parse(`${time}Z`);

let progress: Record<string, TenantProgress>;
let rollupsOf: (hour: string) => Rollup[];
let ledgerOf: (hour: string) => LedgerRow[];
let read: string[];
let firstCall: number | undefined;
beforeEach(() => {
  [progress, read] = [{ "2026-11": { next: "2026-11-21T05", waiting: [], version: 1 } }, []];
  rollupsOf = ledgerOf = () => [];
  firstCall = undefined;
});

const aRollup = (hour: string, caller_id = "dev"): Rollup => ({
  ...nothingUsed,
  ...{ tenant_id: "t1", hour, caller_id, model: "claude-sonnet-5", requests: 1 },
});

const reader = new UsageReader({
  rollups: {
    async *list(_tenantId, from, to) {
      read.push(`rollups ${from} to ${to}`);
      for (let time = startOfHour(from); time <= startOfHour(to); time += hourMs) yield rollupsOf(hourOf(time));
    },
  },
  ledger: {
    async *hour(_tenantId, hour) {
      read.push(`ledger ${hour}`);
      yield ledgerOf(hour);
    },
  },
  progress: { of: async (_tenantId, month) => progress[month] },
  firstCalls: { since: async () => firstCall },
  clock: () => now,
});

const ask = (question: Partial<UsageQuestion> = {}) =>
  reader.read({
    ...{ tenantId: "t1", by: [], limit: 50, range: { from: at("2026-11-21T00:00"), to: at("2026-11-22T00:00") } },
    ...question,
  });

describe("what is read", () => {
  test("usage of closed hours is read from rollups and of open hours from the ledger, each hour once and in order", async () => {
    progress["2026-11"] = { next: "2026-11-21T04", waiting: ["2026-11-21T02", "2026-11-20T01"], version: 3 };
    const { openSince, isComplete } = await ask();
    expect(read).toEqual([
      "rollups 2026-11-21T00 to 2026-11-21T01",
      "ledger 2026-11-21T02",
      "rollups 2026-11-21T03 to 2026-11-21T03",
      "ledger 2026-11-21T04",
      "ledger 2026-11-21T05",
    ]);
    expect([openSince, isComplete]).toEqual([at("2026-11-21T02:00"), true]);
  });

  test("usage is read neither from future hours, nor from open hours outside the range", async () => {
    expect(await ask({ range: { from: at("2026-11-20T00:00"), to: at("2026-11-21T00:00") } })).toMatchObject({
      openSince: undefined,
    });
    expect(read).toEqual(["rollups 2026-11-20T00 to 2026-11-20T23"]);
    read = [];
    await ask({ range: { from: at("2026-12-01T00:00"), to: at("2027-01-01T00:00") } });
    expect(read).toEqual([]);
  });

  test("usage of a month without closed hours is read from the ledger of the last day, but not for older months", async () => {
    progress = { "2026-10": { next: "2026-11-01T00", waiting: [], version: 9 } };
    await ask({ range: { from: at("2026-10-31T00:00"), to: at("2026-12-01T00:00") } });
    expect(read.filter((call) => call.startsWith("ledger"))).toHaveLength(24);
    expect(read[0]).toBe("rollups 2026-10-31T00 to 2026-11-20T05");
  });

  test("usage of a month in which the meter has closed nothing is read from every hour since the first call", async () => {
    progress = {};
    firstCall = at("2026-11-20T00:00");
    ledgerOf = (hour) => [aRow(hour)];
    const range = { from: at("2026-11-01T00:00"), to: at("2026-12-01T00:00") };
    const { rows, isComplete, openSince } = await ask({ range });
    expect([rows[0]?.requests, isComplete, openSince]).toEqual([30, true, firstCall]);
    expect(read[0]).toBe("rollups 2026-11-01T00 to 2026-11-19T23");
    firstCall = at("2026-11-19T05:30");
    const more = await ask({ range });
    expect([more.rows[0]?.requests, more.isComplete, more.openSince]).toEqual([
      maxOpenHours,
      false,
      at("2026-11-19T05:00"),
    ]);
  });

  test("usage by day or month is read to the end of a page, and continues from there on the next page", async () => {
    rollupsOf = (hour) => [aRollup(hour, "a"), aRollup(hour, "b")];
    const range = { from: at("2026-11-01T00:00"), to: at("2026-12-01T00:00") };
    let hours = 0;
    const counted = rollupsOf;
    rollupsOf = (hour) => {
      hours += 1;
      return counted(hour);
    };
    const first = await ask({ range, by: ["caller", "day"], limit: 3 });
    expect(first.rows.map(({ day, caller_id, requests }) => [day, caller_id, requests])).toEqual([
      ["2026-11-01", "a", 24],
      ["2026-11-01", "b", 24],
      ["2026-11-02", "a", 24],
    ]);
    expect(hours).toBe(49);
    read = [];
    const second = await ask({ range, by: ["caller", "day"], limit: 3, after: first.next });
    expect(second.rows[0]).toMatchObject({ day: "2026-11-02", caller_id: "b", requests: 24 });
    expect(read[0]).toMatch(/^rollups 2026-11-02T00 /);
  });
});

describe("the totals", () => {
  const range = { from: at("2026-11-01T00:00"), to: at("2026-12-01T00:00") };
  const ofMonth = 20 * 24 + 5;

  test("the totals of usage cover the whole range and are the same on each page, also by hour", async () => {
    rollupsOf = (hour) => [aRollup(hour, "a"), aRollup(hour, "b")];
    ledgerOf = () => [aRow("open", { caller_id: "a" })];
    const question = { range, by: ["hour", "caller"], limit: 5, withTotals: true } as const;
    const first = await ask(question);
    const second = await ask({ ...question, after: first.next });
    expect(second.rows[0]).toMatchObject({ hour: "2026-11-01T02", caller_id: "b", requests: 1 });
    expect([first.totals?.requests, second.totals?.requests]).toEqual([2 * ofMonth + 1, 2 * ofMonth + 1]);
    expect((await ask({ ...question, callerId: "b" })).totals?.requests).toBe(ofMonth);
    expect((await ask({ range, by: ["hour"], limit: 5 })).totals).toBeUndefined();
  });

  test("the totals of no usage are 0", async () => {
    expect((await ask({ withTotals: true })).totals).toMatchObject({ requests: 0, cost: 0 });
  });

  test("the totals of usage are left out only if the range is too large for one answer, and free credit is drawn once for the page", async () => {
    const perHour = Math.floor(maxRows / 72);
    rollupsOf = (hour) => Array<Rollup>(perHour).fill(aRollup(hour));
    const drawn: string[][] = [];
    const credits = () => {
      const mine: string[] = [];
      drawn.push(mine);
      return (row: LedgerRow) => mine.push(row.request_id);
    };
    const first = await ask({ range, by: ["day"], limit: 1, withTotals: true, credits });
    expect(first).toMatchObject({ rows: [{ day: "2026-11-01", requests: 24 * perHour }], totals: undefined });
    expect(first.rowsRead).toBeGreaterThan(maxRows);
    const last = await ask({ range, by: ["day"], limit: 1, after: ["2026-11-20"], withTotals: true, credits });
    expect(last).toMatchObject({ rows: [{ day: "2026-11-21" }], totals: undefined });
    ledgerOf = () => [aRow("open")];
    await ask({
      range: { from: at("2026-11-21T04:00"), to: range.to },
      by: ["day"],
      limit: 1,
      after: ["2026-11-20"],
      withTotals: true,
      credits,
    });
    expect(drawn.at(-1)).toEqual(["open"]);
  });
});

describe("more than one answer can read", () => {
  const many = <T>(one: T) => Array<T>(maxRows + 1).fill(one);

  test("too many rollups or sessions for one answer are refused; too many open hours are marked as incomplete", async () => {
    rollupsOf = (hour) => (hour === "2026-11-21T00" ? many(aRollup(hour)) : []);
    await expect(ask()).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(/^from, to:/),
    });
    rollupsOf = () => [];
    ledgerOf = () => many(aRow("r"));
    await expect(ask({ by: ["session"] })).rejects.toMatchObject({ message: expect.stringContaining("fewer hours") });
    expect(await ask()).toMatchObject({ isComplete: false });
  });

  test("usage is incomplete if the meter is days behind", async () => {
    progress["2026-11"] = { next: "2026-11-10T00", waiting: [], version: 1 };
    const range = { from: at("2026-11-01T00:00"), to: at("2026-12-01T00:00") };
    const { isComplete, openSince } = await ask({ range });
    expect([isComplete, openSince]).toEqual([false, at("2026-11-10T00:00")]);
    expect(read.filter((call) => call.startsWith("ledger"))).toHaveLength(maxOpenHours);
  });
});
