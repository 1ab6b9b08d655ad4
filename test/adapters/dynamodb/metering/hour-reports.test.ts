import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { adjustmentItem } from "../../../../adapters/dynamodb/metering/hour-reports.ts";
import { adjustmentIndex, keys } from "../../../../adapters/dynamodb/schema.ts";
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
/** Puts an adjustment whose rollup is computed again already. */
async function putAdjustment(id: string, difference: number): Promise<Adjustment> {
  const adjustment = anAdjustment(id, difference);
  await table.put(adjustmentItem(adjustment));
  await table.lateCorrections.rolledUp(adjustment);
  return adjustment;
}
const freeze = (value: number, adjustments: Adjustment[] = [], rest = 0) =>
  table.reports.freeze({ tenantId, hour, value, adjustments, rest });

describe("a report", () => {
  test("is opened once, and then frozen once", async () => {
    const { reports } = table;
    expect(await reports.get(tenantId, hour)).toBeUndefined();
    await reports.open(tenantId, hour);
    await reports.open(tenantId, hour);
    expect(await reports.get(tenantId, hour)).toMatchObject({ tenant_id: tenantId, hour, state: "open" });
    expect(await freeze(7)).toBe(true);
    expect(await freeze(8)).toBe(false);
    await reports.open(tenantId, hour);
    expect(await reports.get(tenantId, hour)).toEqual({ tenant_id: tenantId, hour, state: "unsent", value: 7 });
  });

  test("needs not be opened before, and lives 25 months", async () => {
    expect(await freeze(0)).toBe(true);
    const item = await table.read(keys.report(tenantId, hour));
    expect(item).toMatchObject({ value: 0, state: "unsent" });
    expect(item?.expires_at).toBe(Date.parse(`${hour}:00:00Z`) / 1000 + lifeSeconds);
  });

  test("takes its adjustments with it, all or nothing", async () => {
    const adjustments = [await putAdjustment("a", -5), await putAdjustment("b", -6)];
    expect(await table.reports.adjustments(tenantId)).toEqual(adjustments);
    expect(await freeze(7, [...adjustments, anAdjustment("gone", -1)])).toBe(false);
    expect(await table.reports.adjustments(tenantId)).toHaveLength(2);
    expect(await freeze(7, adjustments)).toBe(true);
    expect(await table.reports.adjustments(tenantId)).toEqual([]);
  });

  test("draws free credit with it, once, and never beyond what was granted", async () => {
    await table.put({ ...keys.credit(tenantId), granted_tokens: 100, spent: 30, committed: 40 });
    const draws = (tokens: number) =>
      table.reports.freeze({
        ...{ tenantId, hour, value: 5, adjustments: [], rest: 0 },
        paidByCredit: { tokens, value: 9, granted: 100 },
      });
    expect(await draws(61)).toBe(false);
    expect(await table.read(keys.report(tenantId, hour))).toBeUndefined();
    expect([await draws(60), await draws(60), await draws(0)]).toEqual([true, false, false]);
    expect(await table.credits.get(tenantId)).toMatchObject({ granted: 100, spent: 90, committed: 100 });
    const report = { state: "unsent", value: 5, credit_tokens: 60, credit_value: 9 };
    expect(await table.read(keys.report(tenantId, hour))).toMatchObject(report);
  });

  test("keeps what would be below zero as an adjustment", async () => {
    expect(await freeze(0, [await putAdjustment("a", -5)], -3)).toBe(true);
    expect(await table.reports.adjustments(tenantId)).toEqual([anAdjustment(hour, -3)]);
  });

  test("that was carried on itself is not frozen again by who closes its hour once more", async () => {
    await freeze(0, [await putAdjustment("a", -5)], -3);
    const own = await table.reports.adjustments(tenantId);
    expect(await freeze(0, own, -3)).toBe(false);
    expect(await table.reports.adjustments(tenantId)).toEqual(own);
  });

  test("takes as many adjustments as a transaction has room for", async () => {
    for (let index = 0; index < 95; index++) await putAdjustment(`c${String(index).padStart(3, "0")}`, -1);
    const adjustments = await table.reports.adjustments(tenantId);
    expect(adjustments).toHaveLength(90);
    expect(await freeze(0, adjustments, -90)).toBe(true);
    expect(await table.reports.adjustments(tenantId)).toHaveLength(6);
  });

  test("is frozen once if the answer is lost", async () => {
    const adjustments = [await putAdjustment("a", -5)];
    table.strike({ operation: "TransactWriteItems", when: "after", kind: "cut" });
    await freeze(7, adjustments);
    expect(await table.reports.get(tenantId, hour)).toMatchObject({ value: 7 });
    expect(await table.reports.adjustments(tenantId)).toEqual([]);
  });
});

describe("a late correction", () => {
  const late = async () => {
    const found: unknown[] = [];
    for await (const adjustment of table.lateCorrections.of(shardOf(tenantId))) found.push(adjustment);
    return found;
  };

  test("is listed until its hour is rolled up again, and no report takes it before", async () => {
    const adjustment = anAdjustment("req#1", -5);
    await table.put(adjustmentItem(adjustment));
    expect(await late()).toContainEqual({ tenant_id: tenantId, id: "req#1" });
    expect(await table.reports.adjustments(tenantId)).toEqual([]);
    expect(await table.lateCorrections.get(adjustment)).toEqual(adjustment);
    await table.lateCorrections.rolledUp(adjustment);
    expect(await late()).not.toContainEqual({ tenant_id: tenantId, id: "req#1" });
    expect(await table.reports.adjustments(tenantId)).toEqual([adjustment]);
  });

  test("that is gone is none, and is not brought back", async () => {
    const adjustment = anAdjustment("gone", -5);
    await table.lateCorrections.rolledUp(adjustment);
    expect(await table.lateCorrections.get(adjustment)).toBeUndefined();
  });

  test("is no other record that has the index's keys", async () => {
    await table.put({ ...keys.grant(tenantId, "someone"), ...adjustmentIndex(tenantId, "x") });
    expect(await late()).not.toContainEqual({ tenant_id: tenantId, id: "x" });
  });
});
