// The accounting in an embedded DynamoDB, through the stores and the client that the proxy uses, with faults on demand.
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { activeCallerStore } from "../../../adapters/dynamodb/budget/active-callers.ts";
import { ownerAllowances } from "../../../adapters/dynamodb/budget/allowances.ts";
import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { creditOf } from "../../../adapters/dynamodb/budget/credit-expressions.ts";
import { creditReader } from "../../../adapters/dynamodb/budget/credits.ts";
import { ledgerTransactions } from "../../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { spendingStore } from "../../../adapters/dynamodb/budget/spending.ts";
import { spendingOf } from "../../../adapters/dynamodb/budget/spending-expressions.ts";
import { unexplainedStore } from "../../../adapters/dynamodb/budget/unexplained.ts";
import { workspaceCapStore } from "../../../adapters/dynamodb/budget/workspace-caps.ts";
import { hotPathClient } from "../../../adapters/dynamodb/hot-path-client.ts";
import { ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../../adapters/dynamodb/ledger/rollups.ts";
import { hourReportStore, lateCorrections } from "../../../adapters/dynamodb/metering/hour-reports.ts";
import { limitReader } from "../../../adapters/dynamodb/notices/limits.ts";
import { modelEndNoticeRecords } from "../../../adapters/dynamodb/notices/model-end-notice-records.ts";
import { noticeRecords } from "../../../adapters/dynamodb/notices/notice-records.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { table as schema } from "../../../adapters/dynamodb/table.ts";
import type { Item } from "../../../adapters/dynamodb/write.ts";
import type { SpendingKey } from "../../../domain/budget/spending.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { type FaultInput, Faults } from "../../../emulators/aws/faults.ts";
import { Clock } from "../../../emulators/clock.ts";
import { DynamoDb } from "../../../emulators/dynamodb/dynamodb.ts";
import { callDynamoDb, tableInputs } from "../../../emulators/test/support/dynamodb.ts";
import { type Call, inProcessClient, storeServiceOf } from "../dynamodb/in-process-client.ts";

export const tableName = "main";

const { name, partitionKey, sortKey } = schema.activeIndex;
const withActiveIndex = {
  ...tableInputs,
  attributes: [...tableInputs.attributes, ...[partitionKey, sortKey].map((key) => ({ name: key, type: "S" }))],
  globalSecondaryIndexes: [
    ...tableInputs.globalSecondaryIndexes,
    { name, hashKey: partitionKey, rangeKey: sortKey, projectionType: "KEYS_ONLY" },
  ],
};

/** Strikes calls as the AWS endpoint does; a connection that is cut becomes a server's failure, which is as much of an answer. */
function struck(service: DynamoDb, faults: Faults, calls: string[]): Call {
  const neverLeft = new AbortController().signal;
  return async (operation, body) => {
    calls.push(operation);
    const fault = faults.take("dynamodb", operation, Buffer.from(body));
    if (fault?.when === "before") await fault.strike(neverLeft);
    const answer = await callDynamoDb(service, operation, body);
    if (fault?.when === "after") await fault.strike(neverLeft);
    return answer;
  };
}

export async function openTableAccounting() {
  const service = await DynamoDb.open({ clock: new Clock(), path: undefined });
  await service.createTable(withActiveIndex);
  const faults = new Faults();
  const calls: string[] = [];
  const call = struck(service, faults, calls);
  const document = inProcessClient(call, 3);
  const store = storeServiceOf(call);
  const quick = hotPathClient(document, store);
  const sendsOnce = hotPathClient(document, store, "once");
  const read = async (Key: { pk: string; sk: string }): Promise<Item | undefined> =>
    (await document.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
  const itemOf = ({ tenantId, callerId, month }: SpendingKey) =>
    read(spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }));
  /** The clock that the stores read; a test sets its own. */
  const time = { clock: Date.now as () => number };
  const clock = () => time.clock();
  return {
    time,
    service,
    document,
    /** The proxy's client, which sends again what has failed. */
    quick,
    /** Operations as they arrived. */
    calls,
    spending: spendingStore({ client: quick, sendsOnce, tableName, clock }),
    /** The same of another instance, which remembers nothing. */
    newInstance: () => spendingStore({ client: quick, sendsOnce, tableName, clock }),
    /** The same over a client that waits as long as it takes: nothing is ever sent twice. */
    patient: spendingStore({ client: document, tableName, clock }),
    ledger: ledgerStore(rowsOf(quick, tableName)),
    rollups: rollupStore(rowsOf(quick, tableName)),
    transactions: ledgerTransactions(rowsOf(document, tableName)),
    credits: creditReader(rowsOf(document, tableName)),
    reports: hourReportStore(rowsOf(document, tableName)),
    lateCorrections: lateCorrections(rowsOf(document, tableName)),
    activeCallers: activeCallerStore(rowsOf(document, tableName)),
    progress: meteringProgressStore(rowsOf(document, tableName)),
    allowances: ownerAllowances(rowsOf(document, tableName)),
    caps: workspaceCapStore(rowsOf(document, tableName)),
    unexplained: unexplainedStore(rowsOf(document, tableName)),
    noticing: {
      endRecords: modelEndNoticeRecords(rowsOf(document, tableName)),
      limits: limitReader(rowsOf(document, tableName), { withCredit: true }),
      records: noticeRecords(rowsOf(document, tableName)),
      queue: { sendAll: async () => {}, send: async () => {} },
    },
    read,
    itemOf,
    put: (Item: Item) => document.send(new PutCommand({ TableName: tableName, Item })),
    strike: (...list: Omit<FaultInput, "service">[]) =>
      faults.put(list.map((fault) => ({ service: "dynamodb", ...fault }))),
    of: async (key: SpendingKey) => spendingOf(await itemOf(key)),
    creditOf: async (tenantId: string) => creditOf(await read(creditRecord.key({ tenant_id: tenantId }))),
    async grant(tenantId: string, changes: Item = {}): Promise<void> {
      const Item = {
        ...creditRecord.key({ tenant_id: tenantId }),
        granted_tokens: freeCreditTokens,
        spent: 0,
        committed: 0,
        ...changes,
      };
      await document.send(new PutCommand({ TableName: tableName, Item }));
    },
    async close(): Promise<void> {
      faults.clear();
      await service.close();
    },
  };
}

export type TableAccounting = Awaited<ReturnType<typeof openTableAccounting>>;

/** All stores in one object, as admission and settlement take them. */
export function accountingOf(table: TableAccounting) {
  const { spending, ledger, of, creditOf } = table;
  return { ...spending, ...ledger, of, creditOf, grant: (tenantId: string) => table.grant(tenantId) };
}
