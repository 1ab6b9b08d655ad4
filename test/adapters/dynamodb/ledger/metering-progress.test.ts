import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import {
  shardProgressRecord,
  tenantProgressRecord,
} from "../../../../adapters/dynamodb/ledger/metering-progress.record.ts";
import { openTableAccounting, type TableAccounting } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterEach(() => table.strike());
afterAll(() => table.close());

const month = "2026-11";
const to = (version: number, next: string, waiting: string[] = []) => ({ version, next, waiting });

test("a tenant's metering progress starts empty, and only moves forward", async () => {
  const { progress } = table;
  expect(await progress.of("t1", month)).toBeUndefined();
  await progress.advance("t1", month, to(1, "2026-11-21T04"));
  await progress.advance("t1", month, to(1, "2026-11-20T00"));
  expect(await progress.of("t1", month)).toEqual(to(1, "2026-11-21T04"));
  await progress.advance("t1", month, to(2, "2026-11-21T06", ["2026-11-21T05"]));
  await progress.advance("t1", month, to(2, "2026-11-21T05"));
  expect(await progress.of("t1", month)).toEqual(to(2, "2026-11-21T06", ["2026-11-21T05"]));
  expect(await progress.of("t2", month)).toBeUndefined();
  expect(await progress.of("t1", "2026-12")).toBeUndefined();
});

test("the meter's progress advances once if the answer is lost", async () => {
  table.strike({ operation: "PutItem", when: "after", kind: "cut" });
  await table.progress.advance("t3", month, to(1, "2026-11-21T06"));
  expect(await table.progress.of("t3", month)).toEqual(to(1, "2026-11-21T06"));
});

test("a finished shard is marked for its month only", async () => {
  const { progress } = table;
  expect(await progress.isDone(month, 7)).toBe(false);
  await progress.done(month, 7);
  expect([await progress.isDone(month, 7), await progress.isDone(month, 8)]).toEqual([true, false]);
  expect(await progress.isDone("2026-12", 7)).toBe(false);
});

test("metering progress is kept for 60 days after its month", async () => {
  await table.progress.advance("t4", month, to(1, "2026-11-21T06"));
  await table.progress.done(month, 9);
  const end = Date.parse("2026-12-01T00:00:00Z") / 1000 + 60 * 24 * 3600;
  expect((await table.read(tenantProgressRecord.key({ tenant_id: "t4", month })))?.expires_at).toBe(end);
  expect((await table.read(shardProgressRecord.key({ month, shard: 9 })))?.expires_at).toBe(end);
});
