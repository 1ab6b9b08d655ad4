import { beforeEach, describe, expect, test } from "@jest/globals";
import { ownerAllowances } from "../../../adapters/dynamodb/budget/allowances.ts";
import { ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { hourReportStore } from "../../../adapters/dynamodb/metering/hour-reports.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import { affordable, heldOf, mostDrawn } from "../../../domain/budget/allowance.ts";
import { provisionalRow } from "../../../domain/budget/ledger-row.ts";
import { hourOf } from "../../../domain/kernel/period.ts";
import {
  aCaller,
  admissionOver,
  aGrant,
  asking,
  aTenant,
  costing,
  costingAtMost,
  tenantId,
} from "../../support/accounting/admissions.ts";
import { MemoryAccounting } from "../../support/accounting/memory-accounting.ts";
import { FakeTime } from "../../support/fake-time.ts";
import { chance } from "../../support/interleaving.ts";
import { documentClientOf } from "../../support/memory-dynamodb/document-client.ts";

const trialCap = 2_000;
const month = "2026-11";
let time: FakeTime;
let accounting: MemoryAccounting;
beforeEach(() => {
  time = new FakeTime();
  accounting = new MemoryAccounting(() => time.clock());
});

const rows = () =>
  rowsOf(
    documentClientOf(async (command) => accounting.table.execute(command)),
    "main",
  );
const allowances = () => ownerAllowances(rows());
const keyOf = (callerId: string) => ({ tenantId, callerId, month });
const drawn = async () => (await allowances().read("owner")).drawn;
const pay = (paid: number) =>
  accounting.table.put({ ...keys.allowance("owner"), ...accounting.table.get(keys.allowance("owner")), paid });
const caller = (callerId = "dev", nanoUsd = 1e12) =>
  aCaller({ callerId, grant: aGrant({ monthly_budget_usd: nanoUsd / 1e9 }) });
const limited = () => admissionOver(accounting, time, { trialCap });

describe("a call of an owner who has paid nothing yet", () => {
  test("draws a slice once; the calls after it are one write each, until the slice is used", async () => {
    const { admission, settlements } = limited();
    const first = await admission.admit(caller(), asking("r1"));
    expect(accounting.commands).toEqual([
      "GetCommand",
      "GetCommand",
      "UpdateCommand",
      "UpdateCommand",
      "UpdateCommand",
    ]);
    // The call, and a two hundredth of the cap.
    expect(await drawn()).toBe(10 + trialCap / 200);
    await settlements.settle(first, costing(2));
    accounting.commands.length = 0;
    await admission.admit(caller(), asking("r2"));
    expect(accounting.commands).toEqual(["UpdateCommand"]);
  });

  test("is refused once all callers together hold the cap", async () => {
    const { admission } = limited();
    for (let n = 0; n < 18; n++) await admission.admit(caller(`c${n}`), asking(`r${n}`, costingAtMost(100)));
    expect(await drawn()).toBe(18 * 110);
    await expect(admission.admit(caller("late"), asking("late", costingAtMost(100)))).rejects.toMatchObject({
      code: "cap_reached",
      message: expect.stringContaining("unpaid"),
    });
  });

  test("gets as long an answer as what is left pays", async () => {
    const { admission } = limited();
    await admission.admit(caller("one"), asking("r1", costingAtMost(1_800)));
    const left = trialCap - (await drawn());
    const costAt = (tokens: number) => Math.ceil(tokens / 100);
    const { reservation } = await admission.admit(caller("two"), asking("r2", { maxTokens: 64_000, costAt }));
    expect([left, reservation.bounds.output, reservation.amount]).toEqual([190, 16_384, 164]);
  });

  test("goes on once an invoice is paid: four times as much may be unpaid beside the cap", async () => {
    const { admission } = limited();
    const call = (id: string, amount: number) => admission.admit(caller("dev"), asking(id, costingAtMost(amount)));
    await call("r1", 2_000);
    await expect(call("r2", 100)).rejects.toMatchObject({ code: "cap_reached" });
    pay(100);
    await call("r3", 500);
    await expect(call("r4", 100)).rejects.toMatchObject({ code: "cap_reached" });
    expect(await drawn()).toBe(mostDrawn(100, trialCap));
  });
});

test("whoever is known, or on free credit, or is billed by nobody, draws nothing", async () => {
  accounting.grant(tenantId);
  const { admission } = limited();
  await admission.admit({ ...caller("a"), tenant: aTenant({ tier: "pro" }) }, asking("r1"));
  await admission.admit({ ...caller("b"), tenant: aTenant({ has_payment_method: false }) }, asking("r2"));
  await admissionOver(accounting, time).admission.admit(caller("c"), asking("r3"));
  expect(accounting.table.get(keys.allowance("owner"))).toBeUndefined();
});

test("two workspaces of an owner draw on one allowance", async () => {
  const { admission } = limited();
  const second = { ...caller("b"), tenant: aTenant({ tenant_id: "22222222-2222-4222-8222-222222222222" }) };
  await admission.admit(caller("a"), asking("r1", costingAtMost(1_500)));
  await expect(admission.admit(second, asking("r2", costingAtMost(1_000)))).rejects.toMatchObject({
    code: "cap_reached",
  });
});

test("what a caller has drawn and does not hold comes back, unless the caller has called meanwhile", async () => {
  const { admission, settlements } = limited();
  const { reservation, key } = await admission.admit(caller(), asking("r1", costingAtMost(500)));
  await settlements.settle({ key, reservation, answerLost: false }, costing(20));
  const before = accounting.of(keyOf("dev"));
  await allowances().takeBack(keyOf("dev"), { ...before, committed: before.committed + 1 });
  expect(await drawn()).toBe(510);
  await allowances().takeBack(keyOf("dev"), before);
  expect(await drawn()).toBe(heldOf(before));
  expect(accounting.of(keyOf("dev")).allowance).toBe(heldOf(before));
  await admission.admit(caller(), asking("r2", costingAtMost(500)));
  expect(await drawn()).toBe(heldOf(before) + 510);
});

test.each([
  ["less than was billed", 4, 4, 4 + 60],
  ["more than was billed, which the next call draws", 30, 10, 30 + 60],
])(
  "a bound comes back with its hour's report, and is not given back again where the truth comes later and is %s",
  async (_, cost, after, next) => {
    const { admission } = limited();
    const { reservation, key } = await admission.admit(caller(), asking("r1", costingAtMost(100)));
    const facts = { modelOf: () => "claude-sonnet-5", clock: () => time.clock() };
    const standing = { ...provisionalRow(facts, key, reservation), known: { cost: 10, tokens: 3 } };
    await accounting.transactions.reclaim(key, reservation, standing);
    await allowances().takeBack(key, accounting.of(key));
    expect(await drawn()).toBe(100);
    const hour = hourOf(reservation.admittedAt);
    await hourReportStore(rows()).freeze({ tenantId, hour, value: 10, givenBack: { ownerSub: "owner", amount: 90 } });
    expect(await drawn()).toBe(10);
    const { known: _known, provisional: _provisional, ...row } = standing;
    expect(await accounting.transactions.correct(key, { standing, truth: { ...row, cost } })).toBe(true);
    await allowances().takeBack(key, accounting.of(key));
    expect(await drawn()).toBe(after);
    await admission.admit(caller(), asking("r2", costingAtMost(50)));
    expect(await drawn()).toBe(next);
  },
);

test("a bound whose truth comes while its hour's report is made comes back with that report", async () => {
  const { admission } = limited();
  const { reservation, key } = await admission.admit(caller(), asking("r1", costingAtMost(100)));
  const facts = { modelOf: () => "claude-sonnet-5", clock: () => time.clock() };
  const standing = { ...provisionalRow(facts, key, reservation), known: { cost: 10, tokens: 3 } };
  await accounting.transactions.reclaim(key, reservation, standing);
  const hour = hourOf(reservation.admittedAt);
  await hourReportStore(rows()).open(tenantId, hour);
  const { known: _known, provisional: _provisional, ...row } = standing;
  await accounting.transactions.correct(key, { standing, truth: { ...row, cost: 4 } });
  const corrected = await ledgerStore(rows()).get(standing);
  expect(corrected).toMatchObject({ cost: 4, billed: 10, given_back: 90 });
  const givenBack = { ownerSub: "owner", amount: corrected?.given_back ?? 0 };
  await hourReportStore(rows()).freeze({ tenantId, hour, value: 10, givenBack });
  await allowances().takeBack(key, accounting.of(key));
  expect(await drawn()).toBe(4);
});

test("an answer is lowered to what is spendable, and thinking needs room for an answer", () => {
  const request = asking("r1", { maxTokens: 50_000, costAt: (tokens) => tokens });
  expect([60_000, 40_000, 1_000].map((spendable) => affordable(request, spendable))).toEqual([
    50_000,
    32_000,
    undefined,
  ]);
  expect(affordable({ ...request, thinkingTokens: 10_000 }, 15_000)).toBeUndefined();
});

test("however many callers call, overdraw, settle and come back, at once: what they hold is never more than was drawn, and that never more than the cap", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    accounting = new MemoryAccounting(() => time.clock());
    const dice = chance(seed);
    const { makeAdmission, settlements } = limited();
    // Instances with memories of their own, which guess wrong.
    const admissions = [1, 2, 3].map(() => makeAdmission(accounting.newInstance()));
    accounting.onCommand = () => new Promise((resolve) => (dice() < 0.5 ? setImmediate(resolve) : resolve()));
    const callers = Array.from({ length: 8 }, (_, n) => `c${n}`);
    const check = async () => {
      const holding = callers.reduce((sum, id) => sum + heldOf(accounting.of(keyOf(id))), 0);
      expect(holding).toBeLessThanOrEqual(await drawn());
      expect(await drawn()).toBeLessThanOrEqual(trialCap);
    };
    await Promise.all(
      Array.from({ length: 120 }, async (_, n) => {
        const id = callers[Math.floor(dice() * callers.length)] ?? "c0";
        const [admission] = admissions.slice(Math.floor(dice() * 3));
        const amount = 1 + Math.floor(dice() * 300);
        // Budgets so small that some calls overdraw.
        const admitted = await admission
          ?.admit(caller(id, 400), asking(`r${n}`, costingAtMost(amount)))
          .catch(() => undefined);
        await check();
        if (!admitted) return;
        const { key, reservation } = admitted;
        const cost = Math.floor(dice() * reservation.amount);
        await accounting.spending.settle({ key, reservation, cost, tokens: 0 });
        if (dice() < 0.3) await allowances().takeBack(key, accounting.of(key));
        await check();
      }),
    );
    expect(settlements).toBeDefined();
  }
});
