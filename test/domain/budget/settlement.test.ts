import { beforeEach, describe, expect, test } from "@jest/globals";
import { nothingBilled, outcomeAtBounds } from "../../../domain/budget/ledger-row.ts";
import { Reclaim } from "../../../domain/budget/reclaim.ts";
import type { Reservation } from "../../../domain/budget/reservation.ts";
import { Settlements } from "../../../domain/budget/settlement.ts";
import { costing } from "../../support/accounting/admissions.ts";
import { MemoryAccounting, sound, soundness } from "../../support/accounting/memory-accounting.ts";
import { admitSingle } from "../../support/accounting/single-admission.ts";
import { FakeTime } from "../../support/fake-time.ts";

const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
const limits = { cap: 100, enforcement: "reserved", maxInFlight: 9, rate: { burst: 99, perMinute: 60 } } as const;

let time: FakeTime;
let accounting: MemoryAccounting;
let settlements: Settlements;
let reclaim: Reclaim;
let reservation: Reservation;

beforeEach(async () => {
  time = new FakeTime("2026-12-01T00:00:07.000Z");
  accounting = new MemoryAccounting(time.clock);
  const { ledger, spending, transactions } = accounting;
  const deps = { ledger, spending, transactions, clock: time.clock, modelOf: () => "claude-sonnet-5" };
  settlements = new Settlements(deps);
  reclaim = new Reclaim(deps);
  reservation = {
    requestId: "r1",
    amount: 10,
    version: 0,
    leaseEndsAt: time.clock() + 80_000,
    overdraft: false,
    admittedAt: Date.parse("2026-11-30T23:59:59.999Z"),
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    bounds: { input: 40, output: 3 },
    onCredit: false,
  };
  await admit(reservation);
  accounting.calls.length = 0;
});

async function admit(each: Reservation): Promise<void> {
  const { written } = await admitSingle(accounting.spending, { key, limits, reservation: each }, time.clock);
  expect(written).toBe(true);
}

/** As the next admission does when the lease is over. */
async function reclaimAll(): Promise<void> {
  await time.advance(83_001);
  await reclaim.spending(key, accounting.of(key));
}

const row = (id = "r1") => accounting.rows.get(id);

describe("settlement", () => {
  test.each([false, true])(
    "a settlement's row names the region that the call went to in the end (isOld: %j)",
    async (isOld) => {
      const place = { region: "us-east-1", profile: "us.anthropic.claude-sonnet-5" };
      await settlements.settle({ key, reservation: { ...reservation, ...place }, isOld }, costing(7));
      expect(row()).toMatchObject({ ...place, cost: 7 });
      expect(accounting.of(key)).toMatchObject({ spent: 7, inflight: 0 });
    },
  );

  test("a settlement writes the ledger row first, and then turns the reservation into spent money: two calls", async () => {
    await settlements.settle({ key, reservation }, costing(7, 12));
    expect(accounting.calls).toEqual(["putIfAbsent", "settle"]);
    expect(row()).toEqual({
      tenant_id: "t1",
      caller_id: "dev",
      request_id: "r1",
      admitted_at: "2026-11-30T23:59:59.999Z",
      settled_at: "2026-12-01T00:00:07.000Z",
      model: "claude-sonnet-5",
      profile: "eu.anthropic.claude-sonnet-5",
      region: "eu-central-1",
      version: 0,
      ...costing(7, 12),
    });
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("a settlement of a call that cost nothing is one write and creates no row, unless a late admission could bring it back", async () => {
    await settlements.release({ key, reservation });
    expect(accounting.calls).toEqual(["settle"]);
    expect(accounting.rows.size).toBe(0);
    await admit({ ...reservation, requestId: "r2" });
    await settlements.release({ key, reservation: { ...reservation, requestId: "r2" }, answerLost: true });
    expect(row("r2")).toMatchObject({ cost: 0 });
    expect(accounting.of(key)).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
  });

  test("a settlement that is interrupted after writing the row is completed at the row's cost, by a repeat or by a reclaim", async () => {
    for (const complete of [() => settlements.settle({ key, reservation, isOld: true }, costing(7)), reclaimAll]) {
      accounting.disturb = (call) => {
        if (call === "settle") throw new Error("killed");
      };
      await expect(settlements.settle({ key, reservation }, costing(7))).rejects.toThrow("killed");
      accounting.disturb = () => {};
      await complete();
      expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
      expect(row()).toMatchObject({ cost: 7 });
      expect(row()).not.toHaveProperty("provisional");
      await expect(admit(reservation)).resolves.toBeUndefined();
      accounting.set(key, { spent: 0, committed: 10 });
    }
  });

  test("a settlement finds its own change after a lost answer, and settles the stored state", async () => {
    const to = { ...reservation, version: 1, amount: 8 };
    await accounting.spending.change({ key, from: reservation, to });
    await settlements.settle({ key, reservation }, costing(7));
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("a settlement of an overdraft lets another call overdraw", async () => {
    const over = { ...reservation, requestId: "over", amount: 500, overdraft: true };
    await admit(over);
    expect(accounting.of(key)).toMatchObject({ committed: 10, overdraft: "over" });
    await settlements.settle({ key, reservation: over }, costing(300));
    expect(accounting.of(key)).toMatchObject({ spent: 300, committed: 310, overdraft: undefined, inflight: 1 });
  });

  test("a settlement charges the free credit for the row's tokens of all kinds", async () => {
    accounting.grant("t1");
    const drawing = { ...reservation, requestId: "drawing", onCredit: true, bounds: { input: 9_000, output: 999 } };
    await admit(drawing);
    const usage = { input: 1, output: 20, cache_read: 300, cache_write_5m: 4_000, cache_write_1h: 5_000 };
    await settlements.settle({ key, reservation: drawing }, { usage, source: "drained", cost: 3 });
    expect(accounting.creditOf("t1")).toMatchObject({ spent: 9_321, committed: 9_321, reservations: [] });
  });
});

describe("a call that was thought dead", () => {
  test("a call that seemed dead is booked at its bounds, provisionally", async () => {
    await reclaimAll();
    expect(row()).toMatchObject({ ...outcomeAtBounds(reservation), provisional: true });
    expect(accounting.of(key)).toMatchObject({ spent: 10, committed: 10, inflight: 0, reservations: [] });
  });

  test("a call that seemed dead is corrected once to its true usage, whenever that arrives", async () => {
    await reclaimAll();
    for (let times = 0; times < 3; times++) {
      await settlements.settle({ key, reservation, isOld: true }, { ...costing(7, 5), session_id: "s1" });
    }
    expect(row()).toMatchObject({ cost: 7, source: "final", session_id: "s1" });
    expect(row()).not.toHaveProperty("provisional");
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("a call that seemed dead to others, and not to its own function, is corrected by two calls", async () => {
    await reclaimAll();
    accounting.calls.length = 0;
    await settlements.settle({ key, reservation }, costing(7));
    expect(accounting.calls).toEqual(["putIfAbsent", "correct"]);
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("a settlement of a reservation that may have changed reads the caller's spending first, and nothing else", async () => {
    accounting.commands.length = 0;
    await settlements.settle({ key, reservation, isOld: true }, costing(7));
    expect(accounting.commands).toEqual(["GetCommand", "PutCommand", "UpdateCommand"]);
  });

  test("a call that seemed dead is corrected to a cost of 0 if the model host billed nothing", async () => {
    await reclaimAll();
    await settlements.release({ key, reservation, isOld: true });
    expect(row()).toMatchObject({ cost: 0 });
    expect(accounting.of(key)).toMatchObject({ spent: 0, committed: 0 });
  });

  test("a call that is reclaimed in the middle of its settlement is counted once, at its true usage", async () => {
    const others: Promise<unknown>[] = [];
    accounting.disturb = (call, when) => {
      if (call !== "putIfAbsent" || when !== "before") return;
      accounting.disturb = () => {};
      others.push(reclaimAll());
    };
    await settlements.settle({ key, reservation }, costing(7));
    await Promise.all(others);
    await settlements.settle({ key, reservation, isOld: true }, costing(7));
    expect(row()).toMatchObject({ cost: 7 });
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("a call that seemed dead gives back its free credit with its true usage", async () => {
    accounting.grant("t1");
    const drawing = { ...reservation, requestId: "drawing", onCredit: true, bounds: { input: 9_000, output: 999 } };
    await admit(drawing);
    await reclaimAll();
    expect(accounting.creditOf("t1")).toMatchObject({ spent: 9_999, committed: 9_999, reservations: [] });
    await settlements.settle({ key, reservation: drawing, isOld: true }, costing(3, 100));
    expect(accounting.creditOf("t1")).toMatchObject({ spent: 100, committed: 100 });
  });
});

test("usage at its bounds, which the model host's log can still correct, stays provisional and is booked once", async () => {
  const bounds = { ...outcomeAtBounds(reservation), provisional: true as const };
  await settlements.settle({ key, reservation }, bounds);
  await settlements.settle({ key, reservation, isOld: true }, bounds);
  expect(row()).toMatchObject({ provisional: true, cost: 10 });
  expect(accounting.of(key)).toMatchObject({ spent: 10, reservations: [] });
  await settlements.settle({ key, reservation, isOld: true }, costing(4, 4));
  expect(row()?.provisional).toBeUndefined();
  expect(accounting.of(key).spent).toBe(4);
});

describe("attempts of one request", () => {
  const second = () => ({ ...reservation, version: 1_000 });

  test("two dead attempts of one request are both booked, because each may have called the model host", async () => {
    await reclaimAll();
    await admit({ ...second(), leaseEndsAt: time.clock() });
    await reclaimAll();
    expect(row()).toMatchObject({ cost: 20, provisional: true, usage: { input: 80, output: 6 } });
    expect(accounting.of(key)).toMatchObject({ spent: 20, committed: 20, inflight: 0 });
  });

  test("an attempt of a request that cost nothing is corrected to that, although a later attempt is admitted meanwhile", async () => {
    await reclaimAll();
    await admit(second());
    await settlements.release({ key, reservation });
    expect(row()).toMatchObject({ cost: 0 });
    expect(accounting.of(key)).toMatchObject({ spent: 0, committed: 0, inflight: 0, reservations: [] });
  });

  test("two attempts of one request, one booked and one still running, are settled together at the true usage", async () => {
    await reclaimAll();
    await admit(second());
    await settlements.settle({ key, reservation: second() }, costing(7));
    expect(row()).toMatchObject({ cost: 7, version: 1_000 });
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0, reservations: [] });
    expect(soundness(accounting.of(key))).toEqual(sound);
  });

  test("attempts of one request that are admitted after the true usage was settled are not counted", async () => {
    await settlements.settle({ key, reservation }, costing(7));
    await admit(second());
    await settlements.settle({ key, reservation, isOld: true }, costing(7));
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
    await admit(second());
    await settlements.settle({ key, reservation: second() }, costing(7));
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
    await admit({ ...second(), leaseEndsAt: time.clock() });
    await reclaimAll();
    expect(accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
    expect(row()).toMatchObject({ cost: 7 });
  });
});

describe("an admission that is given up", () => {
  test("an admission that is given up removes its reservation, and cannot take effect later", async () => {
    await settlements.giveUp(key, reservation);
    expect(accounting.of(key)).toMatchObject({ committed: 0, inflight: 0, reservations: [] });
    const late = await admitSingle(accounting.spending, { key, limits, reservation }, time.clock);
    expect(late.written).toBe(false);
  });

  test("an admission that is given up costs nothing, even if it was booked before", async () => {
    await reclaimAll();
    await settlements.giveUp(key, reservation);
    expect(row()).toMatchObject({ ...nothingBilled });
    expect(accounting.of(key)).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
  });
});

test("a call of unknown cost is settled at its bounds, marked as estimated, and at nothing if it only waited", () => {
  expect(outcomeAtBounds({ ...reservation, amount: 0 })).toEqual({ ...nothingBilled, source: "estimated" });
  expect(outcomeAtBounds(reservation)).toEqual({
    source: "estimated",
    cost: 10,
    usage: { input: 40, output: 3, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
  });
});
