import { beforeEach, expect, test } from "@jest/globals";
import { unbilledUsage } from "../../../domain/reporting/unbilled-usage.ts";
import { MemoryMetering } from "../../support/accounting/memory-metering.ts";

const endedAt = Date.parse("2026-12-01T00:20:00Z");

let store: MemoryMetering;
let counts: string[][];
let callsIn: string[];
beforeEach(() => {
  store = new MemoryMetering();
  [counts, callsIn] = [[], []];
});

const reached = (month: string, next: string, waiting: string[] = []) =>
  store.progressOf.set(`t1 ${month}`, { next, waiting, version: 1 });
const open = (now = endedAt, count = 0) =>
  unbilledUsage(
    {
      progress: store.progress,
      firstCalls: { since: async (_tenantId, month) => (callsIn.includes(month) ? endedAt : undefined) },
      reports: {
        count: async (_tenantId, months) => {
          counts.push([...months]);
          return count;
        },
      },
      clock: () => now,
    },
    "t1",
    endedAt,
  );

test("nothing is open of who never called, and what is not counted yet is", async () => {
  expect(await open()).toBe(0);
  expect(await open(endedAt, 3)).toBe(3);
});

test("a month is open until the meter is beyond its last hour of use, and none waits", async () => {
  callsIn = ["2026-11", "2026-12"];
  expect(await open()).toBe(2);
  reached("2026-11", "2026-12-01T00");
  expect(await open()).toBe(1);
  reached("2026-12", "2026-12-01T00");
  expect(await open()).toBe(1);
  reached("2026-12", "2026-12-01T01", ["2026-12-01T00"]);
  expect(await open()).toBe(1);
  reached("2026-12", "2026-12-01T01");
  expect(await open()).toBe(0);
  reached("2026-11", "2026-12-01T00", ["2026-11-30T22"]);
  expect(await open()).toBe(1);
});

test("reports are counted of both months, and of the present one, in which adjustments may be", async () => {
  await open(Date.parse("2027-01-02T00:00:00Z"));
  expect(counts).toEqual([["2026-11", "2026-12", "2027-01"]]);
});
