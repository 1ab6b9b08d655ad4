// Windows beside the month, on the stores as they are: a day's on the caller's item, and one that callers share in a row of its own.
import { marshall } from "@aws-sdk/util-dynamodb";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { conditionOf } from "../../../adapters/dynamodb/budget/guard-condition.ts";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { reservationName } from "../../../adapters/dynamodb/budget/stored-reservation.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { attribute, change } from "../../../adapters/dynamodb/write.ts";
import { admitToBudget } from "../../../domain/budget/admit.ts";
import type { AdmissionContext, Reserved } from "../../../domain/budget/admitted.ts";
import { allHold, type Guard, isNew, isThere } from "../../../domain/budget/guard.ts";
import type { AdmissionRequest } from "../../../domain/budget/plan.ts";
import { Reclaim } from "../../../domain/budget/reclaim.ts";
import { Settlements } from "../../../domain/budget/settlement.ts";
import type { Limits, SpendingKey } from "../../../domain/budget/spending.ts";
import { monthOf, nextMonth } from "../../../domain/kernel/period.ts";
import { asking, costing, tenantId } from "../../support/accounting/admissions.ts";
import { MemoryAccounting, sound, soundness } from "../../support/accounting/memory-accounting.ts";
import { itemBytes } from "../../support/dynamodb/item-bytes.ts";
import { FakeTime } from "../../support/fake-time.ts";
import { documentClientOf } from "../../support/memory-dynamodb/document-client.ts";

let time: FakeTime;
let accounting: MemoryAccounting;
beforeEach(() => {
  time = new FakeTime("2026-11-27T12:00:00Z");
  accounting = new MemoryAccounting(() => time.clock());
});

const dayMs = 86_400_000;
const facts = { clock: () => time.clock(), modelOf: () => "claude-sonnet-5" };
const deps = () => ({ ...facts, ...accounting, spending: accounting.spending });
const settlements = () => new Settlements(deps());

/** Limits with a day's budget, as an admission at this time would have them. */
function limitsAt(now: number, cap: number): Limits {
  const name = `d${new Date(now).getUTCDate()}`;
  const day = { name, cap, title: "today's budget", resetsAt: now - (now % dayMs) + dayMs };
  const rate = { burst: 1_000, perMinute: 100_000 };
  return { cap: 1_000_000_000_000, enforcement: "reserved", maxInFlight: 64, rate, windows: [day] };
}

type Call = { cap?: number; callerId?: string; request?: Partial<AdmissionRequest> };

function admit(
  id: string,
  { cap = 100, callerId = "dev", request }: Call = {},
  spending = accounting.spending,
): Promise<Reserved> {
  const now = time.clock();
  const limits = limitsAt(now, cap);
  const context: AdmissionContext = {
    ...{ key: { tenantId, callerId, month: monthOf(now) }, limits, freshLimits: async () => limits },
    ...{ onCredit: false, admittedAt: now, resetsAt: nextMonth(now) },
  };
  const unused = () => {
    throw new Error("no allowance limits this caller");
  };
  const budget = {
    ...{
      spending,
      reclaim: new Reclaim(deps()),
      idleSlices: { takeBack: unused },
      waitingRoom: accounting.waitingRoom,
    },
    release: (settled: Parameters<Settlements["release"]>[0]) => settlements().release(settled),
    giveUp: async () => {},
    ...{ clock: facts.clock, jitter: () => 1, pause: (ms: number) => time.advance(ms) },
  };
  return admitToBudget(budget, context, asking(id, request));
}

const keyAt = (now = time.clock()): SpendingKey => ({ tenantId, callerId: "dev", month: monthOf(now) });

describe("a day's window on the caller's item", () => {
  test("a caller's window of a day counts what a call will likely cost, and then what it did cost, with no further call to the store", async () => {
    const admitted = await admit("r1", { request: { known: 3, maxTokens: 20_000 } });
    // 4,096 tokens of an answer, and the prompt as it is estimated.
    expect(accounting.of(keyAt()).windows).toEqual({ d27: 3 + 2 * 4_096 });
    expect(accounting.commands).toEqual(["UpdateCommand"]);
    await settlements().settle(admitted, costing(7));
    expect(accounting.commands).toEqual(["UpdateCommand", "PutCommand", "UpdateCommand"]);
    expect(accounting.of(keyAt())).toMatchObject({ spent: 7, windows: { d27: 7 } });
  });

  test("a caller's window of a day counts a call over midnight that it admitted, even if the call ends on the next day and in the next month", async () => {
    time = new FakeTime("2026-11-30T23:59:59.500Z");
    const before = keyAt();
    const late = await admit("r1");
    await time.advance(1_000);
    await admit("r2");
    await settlements().settle(late, costing(4));
    expect(accounting.of(before).windows).toEqual({ d30: 4 });
    expect(accounting.of(keyAt()).windows).toEqual({ d1: 10 });
  });

  test("a caller's window of a day that is spent refuses until the next day, and says when that is", async () => {
    await settlements().settle(await admit("r1"), costing(100));
    await expect(admit("r2")).rejects.toMatchObject({
      code: "budget_exceeded",
      resetsAt: Date.parse("2026-11-28T00:00:00Z"),
      message: expect.stringContaining("today's budget"),
    });
    await time.advance(dayMs / 2);
    await expect(admit("r3")).resolves.toBeDefined();
    expect(accounting.of(keyAt()).windows).toEqual({ d27: 100, d28: 10 });
  });

  test("a caller's window of a day that is filled by calls in flight lets a call wait until one of them has cost less", async () => {
    const first = await admit("r1", { cap: 10 });
    let reads = 0;
    accounting.onCommand = async (command, when) => {
      if (command === "GetCommand" && when === "before" && ++reads === 4) await settlements().settle(first, costing(2));
    };
    const second = await admit("r2", { cap: 10 });
    expect(second.reservation).toMatchObject({ amount: 10, version: 1, held: { d27: 10 } });
    expect(accounting.of(keyAt()).windows).toEqual({ d27: 12 });
    expect(soundness(accounting.of(keyAt()))).toEqual(sound);
  });

  test("a caller's window of a day admits no call once it is full, even from many instances with an old state at the same time", async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, each) => admit(`r${each}`, { cap: 45 }, accounting.newInstance())),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(accounting.of(keyAt()).windows).toEqual({ d27: 50 });
  });

  test("a caller's window of a day keeps the amount that a dead call held in it, and not its bound", async () => {
    await admit("dead", { cap: 1e9, request: { maxTokens: 50_000 } });
    await time.advance(90_000);
    await admit("r2", { cap: 1e9 });
    expect(accounting.rows.get("dead")).toMatchObject({ provisional: true, cost: 4 + 2 * 50_000 });
    expect(accounting.of(keyAt()).windows).toEqual({ d27: 4 + 2 * 4_096 + 10 });
  });

  test("a caller's windows of a whole month of days leave a serial caller's item below 1 KB", async () => {
    time = new FakeTime("2026-12-01T12:00:00Z");
    const uuid = (end: number) => `7c6f1d8e-00ff-4a2b-9cde-${String(end).padStart(12, "0")}`;
    const callerId = uuid(1);
    const sizes: number[] = [];
    for (let day = 1; day <= 31; day++) {
      const cost = 12_345_678_900 + day;
      const request = { costAt: () => 22_345_678_900, known: 123_456_000 };
      const admitted = await admit(uuid(day + 1), { callerId, cap: 1e15, request });
      const item = accounting.table.get(
        spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month: "2026-12" }),
      );
      sizes.push(itemBytes(marshall(item)));
      await settlements().settle(admitted, costing(cost));
      await time.advance(dayMs);
    }
    expect(Object.keys(accounting.of({ tenantId, callerId, month: "2026-12" }).windows ?? {})).toHaveLength(31);
    expect(Math.max(...sizes)).toBeLessThan(1_024);
  });
});

describe("a window that callers share, in a row of its own", () => {
  const cap = 45;
  const key = { pk: `WINDOW#${tenantId}#project#p1`, sk: "MONTH#2026-11" };
  const isBelow: Guard = { rule: "project", figure: "held", is: "<", bound: cap };
  const rows = () =>
    rowsOf(
      documentClientOf(async (command) => accounting.table.execute(command)),
      "main",
    );
  /** The row as its guards are evaluated. */
  function row() {
    const { held = 0, ...item } = (accounting.table.get(key) ?? {}) as { held?: number };
    const ids = Object.keys(item).filter((name) => name.startsWith("r#"));
    return { held, reservations: ids.map((id) => ({ requestId: id.slice("r#=".length) })) };
  }

  /** Carries out a write, which has to be taken where the guards hold. */
  async function guarded(guards: Guard[], made: ReturnType<typeof change>): Promise<boolean> {
    const holds = allHold(guards, row());
    const isWritten = await rows().update(key, made, conditionOf(guards));
    expect(isWritten).toBe(holds);
    return isWritten;
  }
  const enter = ({ reservation: { requestId, amount } }: Reserved) =>
    guarded(
      [isNew({ requestId }), isBelow],
      change`SET ${attribute(reservationName(requestId))} = ${{ h: amount }} ADD held ${amount}`,
    );
  const leave = ({ reservation: { requestId, amount } }: Reserved, cost: number) =>
    guarded(
      [isThere({ requestId })],
      change`REMOVE ${attribute(reservationName(requestId))} ADD held ${cost - amount}`,
    );

  test("a window that callers share admits calls of all callers until it is full, and a call that it refuses keeps nothing of the caller's budget", async () => {
    const taken: Reserved[] = [];
    for (let each = 0; each < 12; each++) {
      const admitted = await admit(`r${each}`, { callerId: `c${each % 6}`, cap: 1_000 });
      if (await enter(admitted)) taken.push(admitted);
      else await settlements().release(admitted);
    }
    expect(taken).toHaveLength(5);
    expect(row()).toMatchObject({ held: 50 });
    const committed = [0, 1, 2, 3, 4, 5].map(
      (caller) => accounting.of({ ...keyAt(), callerId: `c${caller}` }).committed,
    );
    expect(committed).toEqual([10, 10, 10, 10, 10, 0]);
    for (const admitted of taken) {
      await settlements().settle(admitted, costing(2));
      await leave(admitted, 2);
    }
    expect(row()).toEqual({ held: 10, reservations: [] });
  });

  test("a window that callers share counts a call once, however often the call enters and is settled", async () => {
    const admitted = await admit("r1");
    expect([await enter(admitted), await enter(admitted)]).toEqual([true, false]);
    expect([await leave(admitted, 3), await leave(admitted, 3)]).toEqual([true, false]);
    expect(row()).toEqual({ held: 3, reservations: [] });
  });
});
