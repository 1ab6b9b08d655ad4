import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { allowanceRecord } from "../../../adapters/dynamodb/budget/allowance.record.ts";
import { ownerAllowances } from "../../../adapters/dynamodb/budget/allowances.ts";
import { ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { hourReportStore } from "../../../adapters/dynamodb/metering/hour-reports.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { ownedTenantsRecord } from "../../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import { affordable, heldOf } from "../../../domain/budget/allowance.ts";
import { provisionalRow } from "../../../domain/budget/ledger-row.ts";
import { hourOf } from "../../../domain/kernel/period.ts";
import { mostUsed } from "../../../domain/trust/trust.ts";
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
const secondTenantId = "22222222-2222-4222-8222-222222222222";
const owned = {
  ...ownedTenantsRecord.key({ owner_sub: "owner" }),
  [`t#${tenantId}`]: "2026-11-01",
  [`t#${secondTenantId}`]: "2026-11-02",
};
beforeEach(() => {
  time = new FakeTime();
  accounting = newAccounting();
});

function newAccounting(): MemoryAccounting {
  const made = new MemoryAccounting(() => time.clock());
  made.table.put(owned);
  return made;
}

const rows = () =>
  rowsOf(
    documentClientOf(async (command) => accounting.table.execute(command)),
    "main",
  );
const allowances = () => ownerAllowances(rows());
const keyOf = (callerId: string) => ({ tenantId, callerId, month });
const drawn = async () => (await allowances().read("owner")).drawn;
const pay = (paid: number) =>
  accounting.table.put({
    ...allowanceRecord.key({ owner_sub: "owner" }),
    ...accounting.table.get(allowanceRecord.key({ owner_sub: "owner" })),
    paid,
  });
const caller = (callerId = "dev", nanoUsd = 1e12) =>
  aCaller({ callerId, grant: aGrant({ monthly_budget_usd: nanoUsd / 1e9 }) });
const limited = () => admissionOver(accounting, time, { trialCap });

describe("a call of an owner who has paid nothing yet", () => {
  test("a call of an owner without a payment draws a slice once; later calls are one write each, until the slice is used", async () => {
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

  test("a call of an owner without a payment waits for calls in flight that hold the rest, and is refused if they hold it for long", async () => {
    const { admission } = limited();
    for (let n = 0; n < 20; n++) await admission.admit(caller(`c${n}`), asking(`r${n}`, costingAtMost(100)));
    expect(await drawn()).toBe(trialCap);
    const began = time.clock();
    await expect(admission.admit(caller("late"), asking("late", costingAtMost(100)))).rejects.toMatchObject({
      code: "budget_reserved",
      message: expect.stringContaining("may leave unpaid is reserved by requests in flight"),
    });
    expect(time.clock() - began).toBeGreaterThan(44_000);
    expect(accounting.of(keyOf("late"))).toMatchObject({ inflight: 0, committed: 0 });
  });

  test("a call of an owner without a payment is admitted as soon as a call in flight gives back enough", async () => {
    const { admission, settlements } = limited();
    const first = await admission.admit(caller("one"), asking("r1", costingAtMost(1_900)));
    let looks = 0;
    const pause = async (milliseconds: number) => {
      await time.advance(milliseconds);
      looks += 1;
      if (looks === 5) await settlements.settle(first, costing(20));
    };
    const { admission: waiting } = admissionOver(accounting, time, { trialCap, pause });
    const { reservation } = await waiting.admit(caller("two"), asking("r2", costingAtMost(1_000)));
    expect([reservation.amount, looks]).toEqual([1_000, expect.any(Number)]);
    expect(looks).toBeLessThan(9);
    expect(accounting.of(keyOf("two"))).toMatchObject({ inflight: 1, committed: 1_000 });
  });

  test("a call of an owner without a payment is refused at once when the allowance is used up", async () => {
    const { admission, settlements } = limited();
    await settlements.settle(await admission.admit(caller("one"), asking("r1", costingAtMost(1_950))), costing(1_950));
    const began = time.clock();
    const refused = admission.admit(caller("late"), asking("late", costingAtMost(100)));
    await expect(refused).rejects.toMatchObject({ code: "cap_reached", message: expect.stringContaining("unpaid") });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining("within the hour") });
    expect(time.clock() - began).toBeLessThan(1_000);
    // Whoever goes on calling costs one read of the owner's row, beside the caller's own.
    accounting.commands.length = 0;
    await expect(admission.admit(caller("late"), asking("again", costingAtMost(100)))).rejects.toMatchObject({
      code: "cap_reached",
    });
    expect(accounting.commands).toEqual(["GetCommand", "GetCommand"]);
  });

  test("a call of an owner without a payment gets an answer as long as the remaining allowance pays for", async () => {
    const { admission } = limited();
    await admission.admit(caller("one"), asking("r1", costingAtMost(1_800)));
    const left = trialCap - (await drawn());
    const costAt = (tokens: number) => Math.ceil(tokens / 100);
    const { reservation } = await admission.admit(caller("two"), asking("r2", { maxTokens: 64_000, costAt }));
    expect([left, reservation.bounds.output, reservation.amount]).toEqual([190, 16_384, 164]);
  });

  test("an owner may call again once an invoice is paid: four times the paid amount may then be unpaid", async () => {
    const { admission } = limited();
    const call = (id: string, amount: number) => admission.admit(caller("dev"), asking(id, costingAtMost(amount)));
    await call("r1", 2_000);
    await expect(call("r2", 100)).rejects.toMatchObject({ code: "budget_reserved" });
    pay(100);
    await call("r3", 500);
    await expect(call("r4", 100)).rejects.toMatchObject({ code: "budget_reserved" });
    expect(await drawn()).toBe(mostUsed(trialCap, { paid: 100, settled: 0 }));
  });
});

test("settling usage without a payment raises no limit, and a young owner's ceiling includes paid usage", async () => {
  const { admission } = limited();
  const call = (id: string, amount: number) => admission.admit(caller("dev"), asking(id, costingAtMost(amount)));
  const note = (row: object) =>
    accounting.table.put({
      ...allowanceRecord.key({ owner_sub: "owner" }),
      ...accounting.table.get(allowanceRecord.key({ owner_sub: "owner" })),
      ...row,
    });
  await call("r1", 2_000);
  await expect(call("r2", 100)).rejects.toMatchObject({ code: "budget_reserved" });
  note({ settled: 2_000 });
  await call("r3", 2_000);
  await expect(call("r4", 100)).rejects.toMatchObject({ code: "budget_reserved" });
  // With 2,000 paid another 10,000 might be unpaid; the ceiling of the first week is 6,000.
  note({ paid: 2_000, ceiling: 6_000 });
  await call("r5", 4_000);
  await expect(call("r6", 100)).rejects.toMatchObject({ code: "budget_reserved" });
  expect(await drawn()).toBe(2_000 + 6_000);
});

test("an owner who is established, on free credit or not billed draws no allowance", async () => {
  accounting.grant(tenantId);
  const { admission } = limited();
  await admission.admit({ ...caller("a"), tenant: aTenant({ tier: "pro" }) }, asking("r1"));
  await admission.admit({ ...caller("b"), tenant: aTenant({ has_payment_method: false }) }, asking("r2"));
  await admissionOver(accounting, time).admission.admit(caller("c"), asking("r3"));
  expect(accounting.table.get(allowanceRecord.key({ owner_sub: "owner" }))).toBeUndefined();
});

test("two workspaces of an owner draw on one allowance", async () => {
  const { admission } = limited();
  const second = { ...caller("b"), tenant: aTenant({ tenant_id: secondTenantId }) };
  await admission.admit(caller("a"), asking("r1", costingAtMost(1_500)));
  await expect(admission.admit(second, asking("r2", costingAtMost(1_000)))).rejects.toMatchObject({
    code: "budget_reserved",
  });
});

test("a caller's unused slices are given back, unless the caller has called meanwhile", async () => {
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
  "a reservation's bound is given back once with its hour's report, even if the true usage comes later and is %s",
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

test("a reservation's bound is given back once with its hour's report, even if its true usage arrives at the same time", async () => {
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

test("an answer is shortened to the spendable amount, and thinking leaves room for an answer", () => {
  const request = asking("r1", { maxTokens: 50_000, costAt: (tokens) => tokens });
  expect([60_000, 40_000, 32_000, 1_000].map((spendable) => affordable(request, spendable))).toEqual([
    50_000,
    32_000,
    32_000,
    undefined,
  ]);
  expect(affordable({ ...request, thinkingTokens: 10_000 }, 15_000)).toBeUndefined();
  expect([7_168, 7_169].map((thinkingTokens) => affordable({ ...request, thinkingTokens }, 9_000))).toEqual([
    8_192,
    undefined,
  ]);
});

describe("a draw that the allowance refuses", () => {
  test("a draw that the allowance refuses takes back slices that callers of the owner's workspaces do not use", async () => {
    const { admission, settlements } = limited();
    const second = aTenant({ tenant_id: secondTenantId });
    for (let n = 0; n < 70; n++) {
      const who = caller(`c${n}`);
      const from = n % 2 === 0 ? who : { ...who, tenant: second };
      const admitted = await admission.admit(from, asking(`r${n}`, { maxTokens: 500, costAt: (tokens) => tokens }));
      expect(admitted.reservation.amount).toBe(500);
      await settlements.settle(admitted, costing(3));
    }
    expect(await drawn()).toBeLessThanOrEqual(trialCap);
  });

  test("taking back slices for a refused draw costs active callers no further write, and gives the refused call what it needs", async () => {
    const { admission, settlements } = limited();
    for (let n = 0; n < 3; n++) {
      const admitted = await admission.admit(caller(`c${n}`), asking(`r${n}`, costingAtMost(600)));
      await settlements.settle(admitted, costing(5));
    }
    await settlements.settle(await admission.admit(caller("late"), asking("late", costingAtMost(600))), costing(5));
    accounting.commands.length = 0;
    await admission.admit(caller("late"), asking("again", costingAtMost(500)));
    expect(accounting.commands).toEqual(["UpdateCommand"]);
  });

  test("sixty-four draws that the allowance refuses at the same moment search for unused slices once", async () => {
    const { admission, settlements } = limited();
    for (let n = 0; n < 20; n++) {
      const admitted = await admission.admit(caller(`c${n}`), asking(`r${n}`, costingAtMost(90)));
      await settlements.settle(admitted, costing(1));
    }
    let looks = 0;
    accounting.table.onWrite = (before, after) => {
      if (before?.takeback_until === undefined && after?.takeback_until !== undefined) looks += 1;
    };
    accounting.onCommand = () => new Promise(setImmediate);
    const crowd = Array.from({ length: 64 }, (_, n) =>
      admission.admit(caller(`new${n}`), asking(`n${n}`, costingAtMost(20))),
    );
    await Promise.all(crowd);
    expect(looks).toBe(1);
  });

  test("a draw that the allowance refuses waits only a limited time for a function that died while it took back slices", async () => {
    const { admission, settlements } = limited();
    await settlements.settle(await admission.admit(caller("idle"), asking("r1", costingAtMost(1_900))), costing(1));
    await accounting.idleSlices.begin("owner", { now: time.clock(), until: time.clock() + 5_000 });
    const began = time.clock();
    const { reservation } = await admission.admit(caller("late"), asking("r2", costingAtMost(1_000)));
    expect(reservation.amount).toBe(1_000);
    expect(time.clock() - began).toBeLessThan(7_000);
  });

  test("a draw that the allowance refuses finds slices of callers of the previous month in the first hour of a month, and their calls in flight", async () => {
    const { admission, settlements } = limited();
    const monthsEnd = Date.parse("2026-12-01T00:00:00Z");
    await time.advance(monthsEnd - 30_000 - time.clock());
    await settlements.settle(await admission.admit(caller("idle"), asking("r1", costingAtMost(1_900))), costing(1));
    await time.advance(60_000);
    await admission.admit(caller("late"), asking("r2", costingAtMost(1_900)));
    expect(await drawn()).toBeLessThanOrEqual(trialCap);
  });

  test("a draw during an outage of the store is reported as an outage, and takes at most two slices of the allowance", async () => {
    const { admission } = limited();
    // The owner's row counts a slice, and no caller gets it.
    let updates = 0;
    accounting.onCommand = (command, when) => {
      if (when === "before" && command === "UpdateCommand" && ++updates % 2 === 0) throw unanswered();
    };
    await expect(admission.admit(caller(), asking("r1", costingAtMost(100)))).rejects.toMatchObject({
      code: "store_unavailable",
    });
    expect(await drawn()).toBe(220);
  });
});

function unanswered(): DynamoDBServiceException {
  return new DynamoDBServiceException({ name: "TimeoutError", message: "no answer", $metadata: {}, $fault: "server" });
}

test("many simultaneous callers never hold more than was drawn, and never draw more than the cap", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    accounting = newAccounting();
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
