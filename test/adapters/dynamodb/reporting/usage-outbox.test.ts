import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { adjustmentItem } from "../../../../adapters/dynamodb/metering/hour-reports.ts";
import { usageOutbox } from "../../../../adapters/dynamodb/reporting/usage-outbox.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { keys, unbilledIndex } from "../../../../adapters/dynamodb/schema.ts";
import { shardOf } from "../../../../domain/metering/shard.ts";
import {
  eventIdentifier,
  type FrozenEvent,
  type OpenReport,
  OutboxChanged,
  type ReportingLease,
  type SentReport,
} from "../../../../domain/reporting/usage-outbox.ts";
import { openTableAccounting, type TableAccounting, tableName } from "../../../support/accounting/table-accounting.ts";

const hour = "2026-11-21T05";

let table: TableAccounting;
let outbox: ReturnType<typeof usageOutbox>;
beforeAll(async () => {
  table = await openTableAccounting();
  outbox = usageOutbox(rowsOf(table.document, tableName));
});
afterAll(() => table.close());

let tenantId: string;
let tenants = 0;
beforeEach(() => {
  tenants += 1;
  tenantId = `t${tenants}`;
});

const freeze = (value: number, of = hour) =>
  table.reports.freeze({ tenantId, hour: of, value, adjustments: [], rest: 0 });
async function lease(holder = "run", now = 1_000): Promise<ReportingLease> {
  const taken = await outbox.lease(tenantId, holder, { now, until: now + 100 });
  if (!taken) throw new Error("somebody else has it");
  return taken;
}
const anEvent = (value = 7): FrozenEvent => ({
  customerId: "cus_1",
  slot: 2,
  identifier: eventIdentifier(tenantId, hour),
  at: Date.parse("2026-11-21T05:59:59Z"),
  value,
  unconfirmedSince: 1_000,
});
const only = async (): Promise<OpenReport> => {
  const [report, ...others] = await outbox.reports(tenantId);
  expect(others).toEqual([]);
  if (!report) throw new Error("nothing is open");
  return report;
};
async function listed(): Promise<string[]> {
  const found: string[] = [];
  for await (const one of outbox.tenants(shardOf(tenantId))) if (one === tenantId) found.push(one);
  return found;
}
/** A report whose event is frozen. */
async function sending(): Promise<SentReport> {
  await freeze(7_000);
  await outbox.freeze(await lease(), await only(), anEvent(), { carried: 0, fraction: 5 });
  return (await only()) as SentReport;
}

describe("an unsent report", () => {
  test("lists its tenant once, and is found oldest first", async () => {
    for (const one of ["2026-11-21T07", "2026-10-31T23", hour]) await freeze(7_000, one);
    expect(await listed()).toEqual([tenantId]);
    expect((await outbox.reports(tenantId)).map(({ hour }) => hour)).toEqual(["2026-10-31T23", hour, "2026-11-21T07"]);
    expect(await outbox.unsent(tenantId, hour)).toEqual({ tenantId, hour, value: 7_000, state: "unsent" });
    expect(await outbox.count(tenantId, ["2026-10", "2026-11"])).toBe(3);
  });

  test("of nothing is not listed, and may still take what is carried", async () => {
    await freeze(0);
    expect([await listed(), await outbox.reports(tenantId)]).toEqual([[], []]);
    const empty = await outbox.unsent(tenantId, hour);
    expect(empty).toMatchObject({ value: 0, state: "unsent" });
    expect(await outbox.count(tenantId, ["2026-11"])).toBe(0);
    await outbox.freeze(await lease(), empty as OpenReport, anEvent(), { carried: 0, fraction: 0 });
    expect(await only()).toMatchObject({ state: "sending" });
    expect(await outbox.count(tenantId, ["2026-11"])).toBe(1);
  });

  test("gets its event and the balance in one transaction", async () => {
    expect(await sending()).toEqual({ tenantId, hour, value: 7_000, state: "sending", event: anEvent() });
    await outbox.release(await lease());
    expect(await lease("next")).toMatchObject({ carried: 0, fraction: 5 });
  });

  test("of less than a unit is final, and its fraction is kept", async () => {
    await freeze(700);
    await outbox.freeze(await lease(), await only(), undefined, { carried: 0, fraction: 700 });
    expect([await listed(), await outbox.count(tenantId, ["2026-11"])]).toEqual([[], 0]);
    expect(await table.read(keys.report(tenantId, hour))).toMatchObject({ state: "counted" });
  });

  test("that is carried is listed by the balance, until an event takes it", async () => {
    await freeze(7_000);
    const next = await outbox.carry(await lease(), await only(), { carried: 7, fraction: 0 });
    expect([await listed(), await outbox.reports(tenantId), await outbox.count(tenantId, ["2026-11"])]).toEqual([
      [tenantId],
      [],
      1,
    ]);
    await freeze(1_000, "2026-11-21T06");
    await outbox.freeze(next, await only(), undefined, { carried: 0, fraction: 0 });
    expect([await listed(), await outbox.count(tenantId, ["2026-11"])]).toEqual([[], 0]);
  });
});

describe("a report with its event", () => {
  test("is taken, and then counted: listed no more", async () => {
    await outbox.taken(await sending(), 2_000);
    const taken = (await only()) as SentReport;
    expect(taken).toMatchObject({ state: "taken", event: { ...anEvent(), unconfirmedSince: 2_000 } });
    await outbox.counted(taken);
    expect([await listed(), await outbox.reports(tenantId), await outbox.count(tenantId, ["2026-11"])]).toEqual([
      [],
      [],
      0,
    ]);
  });

  test("does not go back: who read it before changes nothing", async () => {
    const before = await sending();
    await outbox.taken(before, 2_000);
    await outbox.lost(before);
    await outbox.taken(before, 3_000);
    expect(await only()).toMatchObject({ state: "taken", event: { unconfirmedSince: 2_000 } });
    await expect(outbox.carry(await lease(), before, { carried: 7, fraction: 0 })).rejects.toThrow(OutboxChanged);
    await expect(outbox.freeze(await lease(), before, anEvent(8), { carried: 0, fraction: 0 })).rejects.toThrow(
      OutboxChanged,
    );
  });

  test("may be opened again, by its own identifier alone", async () => {
    const report = await sending();
    await outbox.counted(report);
    expect(await outbox.reopen(eventIdentifier(tenantId, "2026-11-21T06"))).toBe(false);
    expect(await outbox.reopen("anything")).toBe(false);
    expect(await outbox.reopen(eventIdentifier(tenantId, hour))).toBe(true);
    expect(await only()).toEqual(report);
  });

  test("that was carried or lost is not brought back", async () => {
    await outbox.lost(await sending());
    expect(await outbox.reopen(eventIdentifier(tenantId, hour))).toBe(false);
    expect(await listed()).toEqual([]);
  });
});

describe("the lease", () => {
  test("is one run's, until it is given back or over", async () => {
    const first = await lease("a", 1_000);
    expect(await outbox.lease(tenantId, "b", { now: 1_050, until: 2_000 })).toBeUndefined();
    await outbox.release({ ...first, holder: "b" });
    expect(await outbox.lease(tenantId, "b", { now: 1_050, until: 2_000 })).toBeUndefined();
    await outbox.release(first);
    expect(await outbox.lease(tenantId, "b", { now: 1_050, until: 2_000 })).toMatchObject({ holder: "b" });
    expect(await outbox.lease(tenantId, "c", { now: 2_001, until: 3_000 })).toMatchObject({ holder: "c" });
  });

  test("is asked for again without harm, as after a lost answer", async () => {
    await lease("a");
    expect(await lease("a")).toMatchObject({ holder: "a" });
  });

  test("guards the balance", async () => {
    await freeze(7_000);
    const slow = await lease("slow", 1_000);
    await lease("quick", 2_000);
    await expect(outbox.carry(slow, await only(), { carried: 7, fraction: 0 })).rejects.toThrow(OutboxChanged);
    expect(await only()).toMatchObject({ state: "unsent" });
  });
});

test.each([
  ["above", 5],
  ["below", -5],
])("a carry %s nothing lists its tenant once its hour is rolled up", async (id, difference) => {
  const carry = { tenant_id: tenantId, id, hour, difference };
  await table.put(adjustmentItem(carry));
  expect([await listed(), await outbox.count(tenantId, [])]).toEqual([[], 1]);
  await table.lateCorrections.rolledUp(carry);
  expect([await listed(), await outbox.count(tenantId, [])]).toEqual([[tenantId], 1]);
});

test("a carry of what free credit has paid is nobody's to bill", async () => {
  const carry = { tenant_id: tenantId, id: "free", hour, difference: 0 };
  await table.put(adjustmentItem(carry));
  await table.lateCorrections.rolledUp(carry);
  expect(await table.read(keys.adjustment(tenantId, "free"))).not.toHaveProperty("gsi2_pk");
  expect([await listed(), await outbox.count(tenantId, [])]).toEqual([[], 0]);
});

test("a report below nothing is listed, and one that leaves such a carry waits for usage", async () => {
  await freeze(-7_000);
  expect([await listed(), await outbox.count(tenantId, ["2026-11"])]).toEqual([[tenantId], 1]);
  const [below] = await outbox.reports(tenantId);
  await outbox.freeze(await lease(), below as OpenReport, undefined, { carried: -7, fraction: 0 });
  expect([await listed(), await outbox.count(tenantId, ["2026-11"])]).toEqual([[], 0]);
  const carry = { tenant_id: tenantId, id: "down", hour, difference: -3 };
  await table.put(adjustmentItem(carry));
  await table.lateCorrections.rolledUp(carry);
  await table.reports.freeze({ tenantId, hour: "2026-11-21T06", value: 0, adjustments: [carry], rest: -3 });
  expect([await listed(), await outbox.count(tenantId, ["2026-11"])]).toEqual([[], 0]);
  expect(await outbox.openBalance(tenantId)).toEqual({ balance: { carried: -7, fraction: 0 }, difference: -3 });
  expect(await outbox.openBalance("nobody")).toEqual({ balance: { carried: 0, fraction: 0 }, difference: 0 });
});

test("another record with the index's keys is passed over", async () => {
  await table.put({ ...keys.grant(tenantId, "someone"), ...unbilledIndex(tenantId, { kind: "report", hour }) });
  expect([await listed(), await outbox.reports(tenantId)]).toEqual([[], []]);
});
