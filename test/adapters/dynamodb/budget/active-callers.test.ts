import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { activeCallerIndex, spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import type { ActiveCaller, SpendingKey } from "../../../../domain/budget/spending.ts";
import { shardOf } from "../../../../domain/metering/shard.ts";
import { admitSingle } from "../../../support/accounting/single-admission.ts";
import { openTableAccounting, type TableAccounting, tableName } from "../../../support/accounting/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
afterEach(() => table.strike());
afterAll(() => table.close());

const admittedAt = Date.parse("2026-11-21T05:10:00Z");
const limits = { cap: 1, enforcement: "spent", maxInFlight: 1, rate: { burst: 3, perMinute: 60 } } as const;

function aReservation(requestId: string): Reservation {
  const place = { profile: "eu.anthropic.claude-sonnet-5", region: "eu-central-1" };
  const bounds = { input: 1, output: 1 };
  const times = { leaseEndsAt: admittedAt + 1, admittedAt };
  return { requestId, amount: 1, version: 0, overdraft: false, onCredit: false, bounds, ...times, ...place };
}

const admit = (key: SpendingKey) => {
  table.time.clock = () => admittedAt;
  return admitSingle(table.spending, { key, limits, reservation: aReservation("r1") }, table.time.clock);
};

async function callersOf(month: string, shard: number): Promise<ActiveCaller[]> {
  const found: ActiveCaller[] = [];
  for await (const page of table.activeCallers.of(month, shard)) found.push(...page);
  return found;
}

/** A spending item without an admission; a minimal one of a caller without calls. */
function put(key: SpendingKey, more: object = {}) {
  const { tenantId, callerId, month } = key;
  const own = { ...spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }), ...activeCallerIndex(key) };
  return table.put({ ...own, spent: 0, tat: 0, expires_at: 4_000_000_000, ...more });
}

describe("who spent in a month", () => {
  test("the list of a month's callers contains exactly the admitted callers, with their current state", async () => {
    const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
    for (const active of [key, { ...key, callerId: "other#one" }, { ...key, month: "2026-12" }]) await admit(active);
    const found = await callersOf("2026-11", shardOf("t1"));
    expect(found.map((caller) => caller.key)).toEqual([key, { ...key, callerId: "other#one" }]);
    expect(found[0]).toMatchObject({
      firstAdmittedAt: admittedAt,
      spending: { inflight: 1, reservations: [aReservation("r1")] },
    });
    expect(await callersOf("2026-12", shardOf("t1"))).toHaveLength(1);
    expect(await callersOf("2027-01", shardOf("t1"))).toEqual([]);
    expect(await callersOf("2026-11", (shardOf("t1") + 1) % 64)).toEqual([]);
  });

  test("a tenant's callers of a month are listed from the tenant's first call on", async () => {
    const month = "2031-03";
    const at = (time: string) => Date.parse(`${time}Z`) / 1000;
    const life = 25 * 31 * 24 * 3600;
    await put({ tenantId: "one", callerId: "a", month }, { expires_at: at("2031-03-09T05:10:00") + life });
    await put({ tenantId: "one", callerId: "b", month }, { expires_at: at("2031-03-07T04:20:00") + life });
    const another = Array.from({ length: 2_000 }, (_, n) => `one${n}`).find((id) => shardOf(id) === shardOf("one"));
    await put({ tenantId: another ?? "", callerId: "a", month }, { expires_at: at("2031-03-01T00:00:00") + life });
    expect(await table.activeCallers.since("one", month)).toBe(Date.parse("2031-03-07T04:20:00Z"));
    expect(await table.activeCallers.since("one", "2031-04")).toBeUndefined();
    expect(await table.activeCallers.since("on", month)).toBeUndefined();
    await put({ tenantId: "one", callerId: "c", month }, { expires_at: undefined });
    expect(await table.activeCallers.since("one", month)).toBe(Date.parse("2031-03-01T00:00:00Z"));
  });

  test("the list of a month's callers is read to the end, a page of a hundred at a time, tenant by tenant", async () => {
    const tenants = Array.from({ length: 2_000 }, (_, index) => `page-${index}`).filter((id) => shardOf(id) === 5);
    const month = "2030-01";
    const callers = Array.from({ length: 9 }, (_, index) => `c${index}`);
    for (const tenantId of tenants) for (const callerId of callers) await put({ tenantId, callerId, month });
    table.calls.length = 0;
    const found = await callersOf(month, 5);
    expect(found).toHaveLength(tenants.length * callers.length);
    const order = found.map(({ key }) => key.tenantId);
    expect(order.filter((id, index) => id !== order[index - 1])).toHaveLength(tenants.length);
    const pages = Math.ceil(found.length / 100);
    expect(table.calls.filter((operation) => operation === "BatchGetItem")).toHaveLength(pages);
    expect(table.calls.length).toBeLessThanOrEqual(2 * pages + 1);
  });
});

describe("an entry of the index that is not what it says", () => {
  const month = "2031-01";
  const shard = shardOf("t1");

  test("a wrong entry in the index of active callers is skipped: its item belongs to another caller", async () => {
    const own = { tenantId: "t1", callerId: "dev", month };
    await put(own);
    const index = { gsi2_pk: spendingRecord.activeIndexRange({ month, shard }).pk, gsi2_sk: "t1#someone" };
    await table.put({ ...spendingRecord.key({ tenant_id: "t2", caller_id: "intruder", month }), ...index, spent: 0 });
    await table.put({ ...grantRecord.key({ tenant_id: "t1", dev_sub: "someone" }), ...index, gsi2_sk: "t1#other" });
    expect((await callersOf(month, shard)).map(({ key }) => key)).toEqual([own]);
  });

  test.each([
    ["a reservation that is none", { "r#=x": "no" }],
    ["a time that is none", { "r#=x": { n: 0, x: "soon", t: 1, p: "p", g: "g", i: 1, u: 1, a: 1 } }],
    ["no end of its life", { expires_at: undefined }],
  ])("a wrong entry in the index of active callers affects no other caller: %s", async (name, broken) => {
    const month = `20${40 + name.length}-01`;
    await put({ tenantId: "t1", callerId: "a", month });
    await put({ tenantId: "t1", callerId: "b", month }, broken);
    await put({ tenantId: "t1", callerId: "c", month });
    const found = await callersOf(month, shard);
    expect(found.map((caller) => "problem" in caller)).toEqual([false, true, false]);
  });
});

test("the index of active callers lists items with its attributes, contains only keys, and has no consistent reads", async () => {
  const key = { tenantId: "t1", callerId: "a", month: "2034-01" };
  await put(key, { spent: 5 });
  await table.put({ ...spendingRecord.key({ tenant_id: "t1", caller_id: "unlisted", month: "2034-01" }), spent: 5 });
  const { gsi2_pk, gsi2_sk } = activeCallerIndex(key);
  const asked = {
    TableName: tableName,
    IndexName: "gsi2",
    KeyConditionExpression: "gsi2_pk = :pk",
    ExpressionAttributeValues: { ":pk": gsi2_pk },
  };
  const { Items } = await table.document.send(new QueryCommand(asked));
  expect(Items).toEqual([
    { ...spendingRecord.key({ tenant_id: "t1", caller_id: "a", month: "2034-01" }), gsi2_pk, gsi2_sk },
  ]);
  const consistent = table.document.send(new QueryCommand({ ...asked, ConsistentRead: true }));
  await expect(consistent).rejects.toThrow("Consistent reads are not supported on global secondary indexes");
});

test("an outage while callers are listed is an error, and not the end of the list", async () => {
  await put({ tenantId: "t1", callerId: "a", month: "2033-01" });
  table.strike({ operation: "BatchGetItem", when: "before", kind: "throttle", times: 99 });
  await expect(callersOf("2033-01", shardOf("t1"))).rejects.toMatchObject({ code: "store_unavailable" });
});
