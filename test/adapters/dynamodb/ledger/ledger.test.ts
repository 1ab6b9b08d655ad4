import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { ledgerRecord } from "../../../../adapters/dynamodb/ledger/ledger.record.ts";
import type { LedgerRow } from "../../../../domain/ledger/ledger.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterEach(() => table.strike());
afterAll(() => table.close());

async function hourOf(tenantId: string, hour: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const page of table.ledger.hour(tenantId, hour)) rows.push(...page);
  return rows;
}

function aRow(request_id: string, changes: Partial<LedgerRow> = {}): LedgerRow {
  return {
    tenant_id: "t1",
    caller_id: "dev",
    request_id,
    admitted_at: "2026-11-21T05:59:59.999Z",
    settled_at: "2026-11-21T06:00:07.000Z",
    model: "claude-sonnet-5",
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    usage: { input: 1, output: 2, cache_read: 3, cache_write_5m: 4, cache_write_1h: 5 },
    cost: 9_000_000_000_000_000,
    source: "final",
    version: 0,
    ...changes,
  };
}

test("a ledger row is written once, and later writers get the stored row", async () => {
  expect(await table.ledger.putIfAbsent(aRow("r1"))).toEqual(aRow("r1"));
  expect(await table.ledger.putIfAbsent(aRow("r1", { cost: 7, source: "estimated" }))).toEqual(aRow("r1"));
  expect(await hourOf("t1", "2026-11-21T05")).toEqual([aRow("r1")]);
});

test("two simultaneous writers of a call get the same ledger row", async () => {
  const rows = await Promise.all([1, 2, 3, 4].map((cost) => table.ledger.putIfAbsent(aRow("race", { cost }))));
  expect(new Set(rows.map(({ cost }) => cost)).size).toBe(1);
});

test("a ledger row whose answer is lost is sent again, and is written once", async () => {
  table.strike({ operation: "PutItem", when: "after", kind: "cut" });
  expect(await table.ledger.putIfAbsent(aRow("lost"))).toEqual(aRow("lost"));
});

test("a ledger row is in the hour of its admission, only for its tenant, and lives 45 days from then", async () => {
  await table.ledger.putIfAbsent(aRow("r1", { tenant_id: "t2" }));
  await table.ledger.putIfAbsent(aRow("r2", { tenant_id: "t2", admitted_at: "2026-11-21T06:00:00.000Z" }));
  await table.ledger.putIfAbsent(aRow("r1", { tenant_id: "t3", cost: 1 }));
  expect((await hourOf("t2", "2026-11-21T05")).map(({ request_id }) => request_id)).toEqual(["r1"]);
  expect((await hourOf("t2", "2026-11-21T06")).map(({ request_id }) => request_id)).toEqual(["r2"]);
  expect(await hourOf("t2", "2026-11-21T07")).toEqual([]);
  const item = await table.read(ledgerRecord.key({ tenant_id: "t2", hour: "2026-11-21T06", request_id: "r2" }));
  expect(item?.expires_at).toBe(Date.parse("2026-11-21T06:00:00Z") / 1000 + 45 * 24 * 3600);
});

test("an hour of the ledger is read to its end, page after page", async () => {
  const wide = "x".repeat(300_000);
  const ids = Array.from({ length: 8 }, (_, index) => `page-${index}`);
  for (const id of ids) await table.ledger.putIfAbsent(aRow(id, { tenant_id: "pages", model: wide }));
  table.calls.length = 0;
  expect((await hourOf("pages", "2026-11-21T05")).map(({ request_id }) => request_id)).toEqual(ids);
  expect(table.calls.filter((operation) => operation === "Query").length).toBeGreaterThan(1);
});

test("an hour of the ledger is held one page at a time: the next page is read only when it is needed", async () => {
  table.calls.length = 0;
  for await (const page of table.ledger.hour("pages", "2026-11-21T05")) {
    expect(page.length).toBeLessThan(8);
    break;
  }
  expect(table.calls).toEqual(["Query"]);
});

test("a ledger row is found by its tenant, admission and request, provisional or final", async () => {
  const row = aRow("found", { provisional: true, on_credit: true });
  expect(await table.ledger.get(row)).toBeUndefined();
  await table.ledger.putIfAbsent(row);
  expect(await table.ledger.get(row)).toEqual(row);
});

test("an outage while reading the ledger is an error, and not a missing row", async () => {
  table.strike({ operation: "PutItem", when: "before", kind: "throttle", times: 99 });
  await expect(table.ledger.putIfAbsent(aRow("r1", { tenant_id: "t9" }))).rejects.toMatchObject({
    code: "store_unavailable",
  });
  table.strike();
  expect(await hourOf("t9", "2026-11-21T05")).toEqual([]);
});
