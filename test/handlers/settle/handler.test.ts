import { beforeEach, describe, expect, test } from "@jest/globals";
import type { SQSEvent } from "aws-lambda";
import catalogData from "#catalog";
import { Reclaim } from "../../../domain/budget/reclaim.ts";
import type { Reservation } from "../../../domain/budget/reservation.ts";
import { maxAgeMs, type UnsettledUsage } from "../../../domain/budget/unsettled.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import { settleHandler } from "../../../handlers/settle/handler.ts";
import { MemoryAccounting } from "../../support/accounting/memory-accounting.ts";
import { admitSingle } from "../../support/accounting/single-admission.ts";
import type { LogLine } from "../../support/control-plane.ts";
import { FakeTime } from "../../support/fake-time.ts";

const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
const limits = { cap: 100, enforcement: "reserved", maxInFlight: 9, rate: { burst: 99, perMinute: 60 } } as const;
const outcome: UnsettledUsage["outcome"] = {
  usage: { input: 1, output: 2, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
  source: "final",
  cost: 7,
};

let time: FakeTime;
let accounting: MemoryAccounting;
let reservation: Reservation;
let refused: UnsettledUsage[];
let lines: LogLine[];
let handler: ReturnType<typeof settleHandler>;

beforeEach(async () => {
  time = new FakeTime("2026-11-21T05:00:00.000Z");
  accounting = new MemoryAccounting(time.clock);
  [refused, lines] = [[], []];
  reservation = {
    ...{ requestId: "r1", amount: 10, version: 0, leaseEndsAt: time.clock() + 80_000, overdraft: false },
    ...{ admittedAt: time.clock(), profile: "eu.anthropic.claude-sonnet-5", region: "eu-central-1" },
    ...{ bounds: { input: 40, output: 3 }, onCredit: false },
  };
  await admitSingle(accounting.spending, { key, limits, reservation }, time.clock);
  const { ledger, spending, transactions } = accounting;
  handler = settleHandler({
    ...{ ledger, spending, transactions, clock: time.clock },
    catalog: parseCatalog(catalogData),
    deadLetters: { send: async (unsettled) => void refused.push(unsettled) },
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
  });
});

function batch(...messages: object[]) {
  const Records = messages.map((message, index) => ({
    messageId: `m${index}`,
    body: JSON.stringify(message),
    attributes: { ApproximateReceiveCount: "1" },
  }));
  return handler({ Records } as SQSEvent);
}
const done = { batchItemFailures: [] };
const state = () => accounting.of(key);

describe("a message", () => {
  test("a message about usage settles its reservation at its cost, once, however often it arrives", async () => {
    expect(await batch({ key, reservation, outcome }, { key, reservation, outcome })).toEqual(done);
    expect(await batch({ key, reservation, outcome })).toEqual(done);
    expect(state()).toMatchObject({ spent: 7, committed: 7, inflight: 0, reservations: [] });
    expect(accounting.rows.get("r1")).toMatchObject({ cost: 7, source: "final", model: "claude-sonnet-5" });
  });

  test("a message about usage settles the reservation's current state, and not the state that the proxy saw", async () => {
    const to = { ...reservation, version: 1, amount: 5, leaseEndsAt: time.clock() + 120_000 };
    await accounting.spending.change({ key, from: reservation, to });
    expect(await batch({ key, reservation, outcome })).toEqual(done);
    expect(state()).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("a message about usage replaces the bound of a reservation that was reclaimed meanwhile", async () => {
    await time.advance(83_001);
    const { ledger, spending, transactions } = accounting;
    const deps = { ledger, spending, transactions, clock: time.clock, modelOf: () => "claude-sonnet-5" };
    await new Reclaim(deps).spending(key, state());
    expect(state()).toMatchObject({ spent: 10, inflight: 0 });
    expect(await batch({ key, reservation, outcome })).toEqual(done);
    expect(state()).toMatchObject({ spent: 7, committed: 7 });
    expect(accounting.rows.get("r1")?.provisional).toBeUndefined();
  });

  test("a message about usage without an outcome releases its reservation, and leaves no row", async () => {
    expect(await batch({ key, reservation })).toEqual(done);
    expect(state()).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
    expect(accounting.rows.size).toBe(0);
  });

  test("a message about usage of an admission that was given up prevents its late effect", async () => {
    await accounting.spending.settle({ key, reservation, cost: 0, tokens: 0 });
    expect(await batch({ key, reservation, givenUp: true })).toEqual(done);
    const late = { key, limits, reservation };
    expect(await admitSingle(accounting.spending, late, time.clock)).toMatchObject({ written: false });
  });
});

test("only messages about usage that cannot be settled yet return to the queue", async () => {
  accounting.disturb = (call, when) => {
    if (call === "putIfAbsent" && when === "before") throw new Error("the store is down");
  };
  const release = { key, reservation: { ...reservation, requestId: "r2" } };
  expect(await batch({ key, reservation, outcome }, release)).toEqual({
    batchItemFailures: [{ itemIdentifier: "m0" }],
  });
  accounting.disturb = () => {};
  expect(await batch({ key, reservation, outcome })).toEqual(done);
  expect(state()).toMatchObject({ spent: 7, inflight: 0 });
});

test("a message that is not usage returns until the queue gives it up", async () => {
  expect(await batch({ key })).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
});

test("usage older than the ledger can correct goes to the dead letters, and is not settled", async () => {
  await time.advance(maxAgeMs + 1);
  expect(await batch({ key, reservation, outcome })).toEqual(done);
  expect(refused).toEqual([{ key, reservation, outcome }]);
  expect(accounting.rows.size).toBe(0);
  expect(lines.map(({ message }) => message)).toEqual(["Usage is too old to be settled"]);
});
