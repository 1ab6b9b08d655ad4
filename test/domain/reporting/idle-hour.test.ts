import { beforeEach, expect, test } from "@jest/globals";
import { idleHours, isClosed } from "../../../domain/reporting/idle-hour.ts";
import { MemoryMetering } from "../../support/accounting/memory-metering.ts";

const hour = "2026-11-21T05";

let store: MemoryMetering;
/** When the tenant's first call of the month was admitted. */
let since: number | undefined;
beforeEach(() => {
  store = new MemoryMetering();
  since = undefined;
});

const deps = () => ({ ...store, firstCalls: { since: async () => since } });
const reached = (next: string, waiting: string[] = []) =>
  store.progressOf.set("t1 2026-11", { next, waiting, version: 1 });
const report = (isWanted: boolean, most?: number) =>
  idleHours(deps()).report("t1", hour, { isWanted, maxReversal: async () => most });
const adjust = (id: string, difference: number) =>
  store.adjustments.set(id, { tenant_id: "t1", id, hour, difference, isListed: false });

test("an hour is closed once the meter is beyond it, and it does not wait", async () => {
  reached("2026-11-21T06");
  expect(await isClosed(deps(), "t1", hour)).toBe(true);
  reached("2026-11-21T06", [hour]);
  expect(await isClosed(deps(), "t1", hour)).toBe(false);
  reached(hour);
  expect(await isClosed(deps(), "t1", hour)).toBe(false);
});

test("where the meter has not been yet, an hour is closed before the tenant's first call", async () => {
  expect(await isClosed(deps(), "t1", hour)).toBe(true);
  since = Date.parse("2026-11-21T06:00:00Z");
  expect(await isClosed(deps(), "t1", hour)).toBe(true);
  since -= 1;
  expect(await isClosed(deps(), "t1", hour)).toBe(false);
});

test("an hour without usage gets a report with the tenant's adjustments, if their sum is to be billed", async () => {
  adjust("a", 7);
  adjust("b", -3);
  expect(await report(false)).toBe(true);
  expect(store.reportsOf.get(`t1 ${hour}`)).toMatchObject({ value: 4, state: "unsent" });
  expect(store.adjustments.size).toBe(0);
});

test("an hour without usage gets a report of 0 only where one is wanted; adjustments whose sum is below 0 stay", async () => {
  adjust("b", -3);
  expect(await report(false)).toBe(false);
  expect(store.reportsOf.size).toBe(0);
  expect(await report(true)).toBe(true);
  expect(store.reportsOf.get(`t1 ${hour}`)).toMatchObject({ value: 0 });
  expect(store.adjustments.size).toBe(1);
});

test("an hour that may still get rows gets none, and one with a report keeps it", async () => {
  adjust("a", 7);
  since = Date.parse("2026-11-21T05:10:00Z");
  expect([await report(true), store.reportsOf.size]).toEqual([false, 0]);
  reached("2026-11-21T06");
  store.reportsOf.set(`t1 ${hour}`, { tenant_id: "t1", hour, state: "unsent", value: 9 });
  expect(await report(true)).toBe(true);
  expect([store.reportsOf.get(`t1 ${hour}`)?.value, store.adjustments.size]).toEqual([9, 1]);
});

test("what was billed too much is taken back as far as it can be, and the rest is carried on", async () => {
  adjust("a", 2);
  adjust("b", -9);
  expect(await report(false, 5)).toBe(true);
  expect(store.reportsOf.get(`t1 ${hour}`)).toMatchObject({ value: -5 });
  expect([...store.adjustments.values()]).toMatchObject([{ id: hour, difference: -2 }]);
});

test("corrections that are nothing together are at their end", async () => {
  adjust("a", 9);
  adjust("b", -9);
  expect(await report(false)).toBe(true);
  expect([store.reportsOf.get(`t1 ${hour}`)?.value, store.adjustments.size]).toEqual([0, 0]);
});
