import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { allowanceRecord } from "../../../../adapters/dynamodb/budget/allowance.record.ts";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { adjustmentIndex } from "../../../../adapters/dynamodb/metering/adjustment.record.ts";
import { adjustmentItem } from "../../../../adapters/dynamodb/metering/hour-reports.ts";
import { reportRecord } from "../../../../adapters/dynamodb/metering/report.record.ts";
import { totalIndex, totalRecord } from "../../../../adapters/dynamodb/reporting/total.record.ts";
import type { Adjustment } from "../../../../domain/metering/hour-report.ts";
import { shardOf } from "../../../../domain/metering/shard.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

const hour = "2026-11-21T05";
const lifeSeconds = 25 * 31 * 24 * 3600;

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterEach(() => table.strike());
afterAll(() => table.close());

let tenantId: string;
let tenants = 0;
beforeEach(() => {
  tenants += 1;
  tenantId = `t${tenants}`;
});

const anAdjustment = (id: string, difference: number): Adjustment => ({ tenant_id: tenantId, id, hour, difference });
const freeze = (value: number, of = hour) => table.reports.freeze({ tenantId, hour: of, value });
const report = () => table.read(reportRecord.key({ tenant_id: tenantId, hour }));
const total = () => table.read(totalRecord.key({ tenant_id: tenantId }));

describe("a report", () => {
  test("an hour's report is opened once, and frozen once", async () => {
    await table.reports.open(tenantId, hour);
    expect(await report()).toMatchObject({ tenant_id: tenantId, hour });
    expect([await freeze(7), await freeze(8)]).toEqual(["frozen", "known"]);
    await table.reports.open(tenantId, hour);
    expect([(await report())?.value, (await total())?.["m#2026-11"]]).toEqual([7, 7]);
  });

  test("an hour's report can be frozen without being opened first, and is kept for 25 months", async () => {
    expect(await freeze(0)).toBe("frozen");
    const item = await report();
    expect(item?.value).toBe(0);
    expect(item?.expires_at).toBe(Date.parse(`${hour}:00:00Z`) / 1000 + lifeSeconds);
  });

  test("freezing an hour's report adds it to its month's total, which is listed; an empty report creates no total", async () => {
    await freeze(0);
    expect(await total()).toBeUndefined();
    for (const [of, value] of [
      ["2026-11-21T06", 5],
      ["2026-11-30T23", 6],
      ["2026-12-01T00", 7],
    ] as const) {
      await freeze(value, of);
    }
    expect(await total()).toMatchObject({ "m#2026-11": 11, "m#2026-12": 7, ...totalIndex(tenantId) });
  });

  test("freezing an hour's report gives back the owner's allowance once", async () => {
    const ownerSub = `owner-of-${tenantId}`;
    await table.put({ ...allowanceRecord.key({ owner_sub: ownerSub }), drawn: 100 });
    const report = { tenantId, hour, value: 7, givenBack: { ownerSub, amount: 30 } };
    expect([await table.reports.freeze(report), await table.reports.freeze(report)]).toEqual(["frozen", "known"]);
    expect(await table.allowances.read(ownerSub)).toEqual({ drawn: 70, paid: 0, settled: 0 });
  });

  test("freezing an hour's report draws free credit once, and never more than was granted", async () => {
    await table.put({ ...creditRecord.key({ tenant_id: tenantId }), granted_tokens: 100, spent: 30, committed: 40 });
    const draws = (tokens: number) =>
      table.reports.freeze({ tenantId, hour, value: 5, paidByCredit: { tokens, value: 9, granted: 100 } });
    expect(await draws(61)).toBe("outrun");
    expect([await report(), await total()]).toEqual([undefined, undefined]);
    expect(await table.reports.tokensDrawn(tenantId, hour)).toBe(0);
    expect([await draws(60), await draws(60), await draws(0)]).toEqual(["frozen", "known", "known"]);
    expect(await table.reports.tokensDrawn(tenantId, hour)).toBe(60);
    expect(await table.credits.get(tenantId)).toMatchObject({ granted: 100, spent: 90, committed: 100 });
    expect(await report()).toMatchObject({ value: 5, credit_tokens: 60, credit_value: 9 });
    expect((await total())?.["m#2026-11"]).toBe(5);
  });

  test("an hour's report is frozen once if the answer is lost", async () => {
    table.strike({ operation: "TransactWriteItems", when: "after", kind: "cut" });
    await freeze(7).catch(() => undefined);
    await freeze(7);
    expect((await total())?.["m#2026-11"]).toBe(7);
  });
});

describe("a late correction", () => {
  const late = async () => {
    const found: unknown[] = [];
    for await (const adjustment of table.lateCorrections.of(shardOf(tenantId))) found.push(adjustment);
    return found;
  };

  test("a late correction is listed until the total includes its difference, once", async () => {
    const adjustment = anAdjustment("req#1", -5);
    await freeze(7);
    await table.put(adjustmentItem(adjustment));
    expect(await late()).toContainEqual({ tenant_id: tenantId, id: "req#1" });
    expect(await table.lateCorrections.get(adjustment)).toEqual(adjustment);
    for (let run = 0; run < 2; run++) await table.lateCorrections.add(adjustment);
    expect(await late()).not.toContainEqual({ tenant_id: tenantId, id: "req#1" });
    expect([(await total())?.["m#2026-11"], await table.lateCorrections.get(adjustment)]).toEqual([2, undefined]);
  });

  test("a late correction is distinguished from other records that have the index's keys", async () => {
    await table.put({
      ...grantRecord.key({ tenant_id: tenantId, dev_sub: "someone" }),
      ...adjustmentIndex(tenantId, "x"),
    });
    expect(await late()).not.toContainEqual({ tenant_id: tenantId, id: "x" });
  });
});
