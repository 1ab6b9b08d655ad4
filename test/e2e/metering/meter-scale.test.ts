// What the meter's jobs cost with more tenants, over the local store. ARCHWAY_METER_TENANTS=10000 plays it at the size that the platform is designed for.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import catalogData from "#catalog";
import { grantRecord } from "../../../adapters/dynamodb/access/grant.record.ts";
import { activeCallerIndex, spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { ledgerItem } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { reportRecord } from "../../../adapters/dynamodb/metering/report.record.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import { monthOf, startOfHour } from "../../../domain/kernel/period.ts";
import type { MeteringJob } from "../../../domain/metering/metering-job.ts";
import { shardCount, shardOf } from "../../../domain/metering/shard.ts";
import { meterHandler } from "../../../handlers/meter/handler.ts";
import { aRow } from "../../support/accounting/memory-metering.ts";
import { openTableAccounting, type TableAccounting } from "../../support/accounting/table-accounting.ts";
import { sizes } from "../../support/sizes.ts";

const tenants = sizes.meterTenants;
const callers = ["a", "b", "c"];
const hour = "2026-11-21T05";
const month = "2026-11";
const now = startOfHour("2026-11-21T06") + 6 * 60_000;
const lifeSeconds = 25 * 31 * 24 * 3600;

let table: TableAccounting;
let failed: string[];
beforeAll(async () => {
  table = await openTableAccounting();
});
afterAll(() => table.close());

function openMeter(noticing: TableAccounting["noticing"] | undefined) {
  failed = [];
  return meterHandler({
    ...table,
    noticing,
    jobs: { sendAll: async () => {} },
    catalog: parseCatalog(catalogData),
    log: { info: () => {}, problem: (_message, facts) => void failed.push(String(facts.tenant_id)) },
    clock: () => now,
  });
}

/** Tenants with three callers each, who called in the hour. */
async function fill(count: number, prefix: string): Promise<string[]> {
  const tenantIds = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  for (const tenantId of tenantIds) {
    for (const callerId of callers) {
      const key = { tenantId, callerId, month };
      const expires_at = startOfHour(hour) / 1000 + lifeSeconds;
      const spending = { spent: 100, committed: 100, inflight: 0, tat: (startOfHour(hour) + 1_000) * 1000, expires_at };
      await table.put({
        ...spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }),
        ...activeCallerIndex(key),
        ...spending,
      });
      await table.put(ledgerItem(aRow(`${tenantId}${callerId}`, { tenant_id: tenantId, caller_id: callerId })));
    }
  }
  return tenantIds;
}

/** All shards' jobs. */
async function run(noticing: TableAccounting["noticing"] | undefined = table.noticing): Promise<number> {
  const handler = openMeter(noticing);
  table.calls.length = 0;
  const jobs = Array.from({ length: shardCount }, (_, shard): MeteringJob => ({ month: monthOf(now), shard }));
  for (const job of jobs) {
    const record = { messageId: "m", body: JSON.stringify(job), attributes: { ApproximateReceiveCount: "1" } };
    await handler({ Records: [record] } as never);
  }
  return table.calls.length;
}

/** Three calls of a job are made whether it has tenants or not. */
const perJob = 3;

test("the meter makes as many store calls for each active caller with more tenants as with few, and few calls if nothing is new", async () => {
  const measured: { first: number; idle: number }[] = [];
  let count = 0;
  for (const more of [tenants / 4, (tenants * 3) / 4]) {
    await fill(more, `size${more}`);
    count += more;
    const [first, idle] = [await run(), await run()];
    // Only the new ones have an hour to close; the others are looked at.
    const share = (calls: number) => (calls - perJob * shardCount) / (count * callers.length);
    measured.push({ first: (first - idle) / (more * callers.length), idle: share(idle) });
  }
  const [few, many] = measured;
  if (!few || !many) throw new Error("nothing was measured");
  if (process.env.ARCHWAY_METER_TENANTS) process.stdout.write(`${JSON.stringify({ tenants, few, many })}\n`);
  expect(failed).toEqual([]);
  expect(many.first).toBeLessThanOrEqual(few.first * 1.05);
  expect(many.idle).toBeLessThanOrEqual(few.idle * 1.05);
  // Credit, ledger, three rollups, adjustments, report and progress for a tenant; its progress is read again when nothing is new.
  expect(many.first).toBeLessThanOrEqual(8 / 3 + 0.1);
  expect(many.idle).toBeLessThanOrEqual(1);
});

test("the meter's notices cost one read for a page of callers, and one more if a threshold is reached", async () => {
  await run();
  const [without, none] = [await run(undefined), await run()];
  // All of a shard's callers are on one page here.
  const pages = shardCount;
  expect(none - without).toBeLessThanOrEqual(pages);
  const tenantIds = await fill(64, "told");
  for (const tenantId of tenantIds)
    await table.put({ ...grantRecord.key({ tenant_id: tenantId, dev_sub: "a" }), monthly_budget_usd: 0.0000002 });
  await run();
  const [silent, told] = [await run(undefined), await run()];
  expect(told - silent).toBeLessThanOrEqual(2 * pages);
  expect(
    await table.noticing.records.get({ kind: "budget", tenant_id: "told-0", month, caller_id: "a" }),
  ).toMatchObject({
    threshold: 50,
    state: "due",
    version: 1,
  });
});

test("a row that cannot be read delays only its own tenant", async () => {
  const tenantIds = await fill(12, "beside");
  const [poisoned = ""] = tenantIds;
  const key = { tenantId: poisoned, callerId: "broken", month };
  await table.put({
    ...spendingRecord.key({ tenant_id: poisoned, caller_id: "broken", month }),
    ...activeCallerIndex(key),
    "r#=x": "no reservation",
  });
  await run();
  expect(new Set(failed)).toEqual(new Set(["undefined", poisoned]));
  const reported: string[] = [];
  for (const tenantId of tenantIds)
    if (await table.read(reportRecord.key({ tenant_id: tenantId, hour }))) reported.push(tenantId);
  expect(reported).toEqual(tenantIds.slice(1));
  expect(shardOf(poisoned)).toBeLessThan(shardCount);
});
