import { beforeEach, expect, test } from "@jest/globals";
import { Reclaim } from "../../../domain/budget/reclaim.ts";
import type { Credit } from "../../../domain/budget/spending.ts";
import { aCaller, admissionOver, asking, aTenant, ofTokens, tenantId } from "../../support/accounting/admissions.ts";
import { MemoryAccounting } from "../../support/accounting/memory-accounting.ts";
import { FakeTime } from "../../support/fake-time.ts";

const key = { tenantId, callerId: "dev", month: "2026-11" };
let time: FakeTime;
let accounting: MemoryAccounting;
let reclaim: Reclaim;
beforeEach(() => {
  time = new FakeTime();
  accounting = new MemoryAccounting(time.clock);
  const { ledger, spending, transactions } = accounting;
  reclaim = new Reclaim({ ledger, spending, transactions, clock: time.clock, modelOf: () => "claude-sonnet-5" });
});

const admit = (requestId: string) => admissionOver(accounting, time).admission.admit(aCaller(), asking(requestId));
const reclaimed = async () => {
  const { reclaimed, changed } = await reclaim.spending(key, accounting.of(key));
  return [reclaimed.map(({ requestId }) => requestId), changed];
};
const buried = (requestId: string) =>
  accounting.spending.putTombstone(key, { requestId, leaseEndsAt: time.clock() + 80_000 });

test("a reservation is reclaimed only three seconds after its lease has ended, because clocks differ", async () => {
  await admit("r1");
  await time.advance(83_000);
  expect(await reclaimed()).toEqual([[], false]);
  await time.advance(1);
  expect(await reclaimed()).toEqual([["r1"], true]);
  expect(accounting.of(key)).toMatchObject({ spent: 10, inflight: 0 });
});

test("a tombstone is removed when its time is over, which changes the caller's spending also without a dead call", async () => {
  await buried("r1");
  expect(await reclaimed()).toEqual([[], false]);
  expect(accounting.of(key).tombstones).toHaveLength(1);
  await time.advance(83_001);
  expect(await reclaimed()).toEqual([[], true]);
  expect(accounting.of(key).tombstones).toEqual([]);
});

test("a dead call and a tombstone that are over at the same time change the caller's spending", async () => {
  await admit("r1");
  await buried("r2");
  await time.advance(83_001);
  expect(await reclaimed()).toEqual([["r1"], true]);
});

test("dead calls on a free credit are reclaimed by their callers' spending, and callers whose calls are alive are not read", async () => {
  accounting.grant(tenantId);
  const onCredit = aCaller({ tenant: aTenant({ has_payment_method: false }) });
  const { admission } = admissionOver(accounting, time);
  await admission.admit(onCredit, asking("dead", ofTokens(90, 10)));
  await time.advance(60_000);
  await admission.admit({ ...onCredit, callerId: "other" }, asking("alive", ofTokens(50, 10)));
  const credit = (): Credit => accounting.creditOf(tenantId);
  accounting.commands.length = 0;
  expect(await reclaim.credit(key, credit())).toBe(false);
  expect(accounting.commands).toEqual([]);
  await time.advance(23_001);
  expect(await reclaim.credit(key, credit())).toBe(true);
  expect(accounting.commands).toEqual(["GetCommand", "TransactWriteCommand"]);
  expect(credit()).toMatchObject({ spent: 100, committed: 160, reservations: [{ requestId: "alive" }] });
});
