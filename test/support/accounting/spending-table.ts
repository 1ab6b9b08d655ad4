// The spending store over an embedded DynamoDB with faults on demand, and callers, limits and reservations for it.
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { spendingStore } from "../../../adapters/dynamodb/budget/spending.ts";
import { table as schema } from "../../../adapters/dynamodb/table.ts";
import type { Item } from "../../../adapters/dynamodb/write.ts";
import { leaseMs, type Reservation } from "../../../domain/budget/reservation.ts";
import type { Limits, Spending, SpendingKey } from "../../../domain/budget/spending.ts";
import { type SingleStore, singly } from "./single-admission.ts";
import { openTableAccounting, tableName } from "./table-accounting.ts";

export async function openSpendingTable() {
  const table = await openTableAccounting();
  return {
    ...table,
    tableName,
    /** The store of an instance that remembers nothing, whose admissions are single writes. */
    single: (store = table.newInstance()) => singly(store, () => table.time.clock()),
    storeOver: (client: DynamoDBDocumentClient) =>
      spendingStore({ client, tableName, clock: () => table.time.clock() }),
    creditOf: ({ tenantId }: SpendingKey) => table.creditOf(tenantId),
    /** Puts the caller's item as given, whatever was there. */
    putItem: ({ tenantId, callerId, month }: SpendingKey, item: Item) =>
      table.put({ ...spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }), ...item }),
    putCredit: ({ tenantId }: SpendingKey, item: Item = {}) => table.grant(tenantId, item),
    /** The entries of the index of active callers in a shard. */
    async listedCallers(month: string, shard: number): Promise<Item[]> {
      const { Items = [] } = await table.document.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: schema.activeIndex.name,
          KeyConditionExpression: "gsi2_pk = :pk",
          ExpressionAttributeValues: { ":pk": spendingRecord.activeIndexRange({ month, shard }).pk },
        }),
      );
      return Items;
    },
  };
}

export type SpendingTable = Awaited<ReturnType<typeof openSpendingTable>>;

/** The table of a suite, which has no faults left after a test, and its store, which remembers nothing before a test. */
export function spendingSuite(): { table: SpendingTable; store: SingleStore } {
  let table: SpendingTable;
  let store: SingleStore;
  beforeAll(async () => {
    table = await openSpendingTable();
    table.time.clock = () => now;
  });
  beforeEach(() => {
    store = table.single();
  });
  afterEach(() => table.strike());
  afterAll(() => table.close());
  return { table: present(() => table), store: present(() => store) };
}

/** The object that is there when it is used. */
function present<T extends object>(object: () => T): T {
  return new Proxy({} as T, { get: (_target, name) => Reflect.get(object(), name) });
}

export const now = Date.parse("2026-11-21T05:00:00Z");

let keysMade = 0;

/** The key of a new caller of a new tenant. */
export const aKey = (): SpendingKey => ({ tenantId: `tenant-${++keysMade}`, callerId: "dev", month: "2026-11" });

export function theLimits(changes: Partial<Limits> = {}): Limits {
  return { cap: 100, enforcement: "reserved", maxInFlight: 4, rate: { burst: 100, perMinute: 6_000 }, ...changes };
}

export function aReservation(requestId: string, changes: Partial<Reservation> = {}): Reservation {
  return {
    requestId,
    amount: 10,
    version: 0,
    leaseEndsAt: now + leaseMs,
    overdraft: false,
    admittedAt: now,
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    bounds: { input: 40, output: 3 },
    onCredit: false,
    ...changes,
  };
}

/** The next version of a reservation, with these changes. */
export function next(reservation: Reservation, changes: Partial<Reservation> = {}): Reservation {
  const { version, leaseEndsAt } = reservation;
  return { ...reservation, version: version + 1, leaseEndsAt: leaseEndsAt + 40_000, ...changes };
}

/** The problems of a state, by the rules that hold for every state (docs/decisions/0015). */
export function unsound({ spent, committed, inflight, overdraft, reservations }: Spending): string[] {
  const amounts = reservations.filter((each) => !each.overdraft).map(({ amount }) => amount);
  const overdrafts = reservations.filter((each) => each.overdraft).map(({ requestId }) => requestId);
  const problems = {
    "committed is not spent and reserved": committed !== amounts.reduce((sum, each) => sum + each, spent),
    "in flight are not the reservations": inflight !== reservations.length,
    "the overdraft is not the one that is named": overdrafts.join() !== (overdraft ?? ""),
  };
  return Object.entries(problems).flatMap(([problem, holds]) => (holds ? [problem] : []));
}
