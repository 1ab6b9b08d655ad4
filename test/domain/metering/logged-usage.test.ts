import { beforeEach, expect, test } from "@jest/globals";
import type { TokenUsage } from "../../../domain/catalog/token-usage.ts";
import { noUsage } from "../../../domain/catalog/token-usage.ts";
import { hourMs, startOfHour } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { Closing } from "../../../domain/metering/closing.ts";
import { type InvocationSearch, LoggedUsage, logDelayMs } from "../../../domain/metering/logged-usage.ts";
import { aRow, MemoryMetering } from "../../support/accounting/memory-metering.ts";

const hour = "2026-11-21T05";
const logged = startOfHour(hour) + hourMs + logDelayMs;
/** A nano-USD a token of input, five a token of output. */
const rates = { input: 1_000, output: 5_000, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

let store: MemoryMetering;
let now: number;
let asked: InvocationSearch[];
let told: Map<string, TokenUsage>;
let problems: string[];
let loggedUsage: LoggedUsage;
let closing: Closing;
beforeEach(() => {
  store = new MemoryMetering();
  now = logged;
  [asked, problems] = [[], []];
  told = new Map([["cut", { ...noUsage, input: 7, output: 11 }]]);
  loggedUsage = new LoggedUsage({
    ...store,
    invocations: {
      usage: async (search) => {
        asked.push(search);
        return told;
      },
    },
    transactions: {
      correct: async (_key, { truth }) => {
        const { provisional: _, ...row } = truth;
        store.put(row);
        return true;
      },
    },
    priceOf: () => ({ tiers: [rates] }) as never,
    log: { problem: (message) => void problems.push(message) },
    clock: () => now,
  });
  closing = new Closing({ ...store, loggedUsage, clock: () => now });
});

const bound: Partial<LedgerRow> = {
  ...{ cost: 9_000, known: { cost: 3, tokens: 4 }, source: "estimated", provisional: true },
};

test("usage from the model host's log replaces a bound, for budget and invoice, and lets the hour be closed", async () => {
  store.put(aRow("cut", bound), aRow("heard", { cost: 1 }));
  expect(await closing.close("t1", hour)).toBe(true);
  const row = store.rows.get("cut");
  expect(row).toMatchObject({ usage: { input: 7, output: 11 }, source: "final" });
  expect([row?.known, row?.provisional]).toEqual([undefined, undefined]);
  expect(row?.cost).toBeLessThan(9_000);
  expect(store.reportsOf.get(`t1 ${hour}`)?.value).toBe((row?.cost ?? 0) + 1);
});

test.each([
  ["as the beginning of the answer told it", 300, { cache_write_5m: 200, cache_write_1h: 300 }],
  ["no more than the log has", 900, { cache_write_5m: 0, cache_write_1h: 500 }],
  ["five minutes, the cheaper time, where no answer began", 0, { cache_write_5m: 500, cache_write_1h: 0 }],
])("cache writes in the log of invocations are counted for %s", async (_, cache_write_1h, writes) => {
  told.set("cut", { ...noUsage, cache_write_5m: 500 });
  store.put(aRow("cut", { ...bound, usage: { ...noUsage, cache_write_1h } }));
  await loggedUsage.apply("t1", hour);
  expect(store.rows.get("cut")?.usage).toEqual({ ...noUsage, ...writes });
});

test("the model host's log is searched only for calls whose end is unknown, in each call's region, from the hour's beginning", async () => {
  store.put(aRow("cut", bound), aRow("far", { ...bound, region: "us-east-1" }), aRow("heard"));
  await loggedUsage.apply("t1", hour);
  const window = { from: startOfHour(hour), to: logged };
  expect(asked).toEqual([
    { ...window, region: "eu-central-1", requestIds: ["cut"] },
    { ...window, region: "us-east-1", requestIds: ["far"] },
  ]);
  now = logged - 1;
  expect(await loggedUsage.apply("t1", hour)).toBe(false);
  expect(asked).toHaveLength(2);
});

test("a call that the model host's log does not contain keeps its known usage, and keeps the hour open for a day", async () => {
  store.put(aRow("lost", bound));
  expect(await closing.close("t1", hour)).toBe(false);
  expect(store.rows.get("lost")).toMatchObject(bound);
});

test("a call that the model host refused costs nothing", async () => {
  told = new Map([["cut", noUsage]]);
  store.put(aRow("cut", bound));
  expect(await closing.close("t1", hour)).toBe(true);
  expect(store.rows.get("cut")?.cost).toBe(0);
});

test("a log of the model host that does not answer is reported, and blocks nothing else", async () => {
  store.put(aRow("cut", bound));
  const broken = new Map();
  broken.get = () => {
    throw new Error("down");
  };
  told = broken;
  expect(await closing.close("t1", hour)).toBe(false);
  expect(problems).toEqual(["the model host's log of invocations could not be read"]);
});
