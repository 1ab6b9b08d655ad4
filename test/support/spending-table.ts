// The spending store over an embedded DynamoDB, through the clients that the proxy uses, with faults on demand.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { creditOf } from "../../adapters/dynamodb/credit-expressions.ts";
import { hotPathClient } from "../../adapters/dynamodb/hot-path-client.ts";
import { activeIndex, type Key, keys, table } from "../../adapters/dynamodb/schema.ts";
import { spendingStore } from "../../adapters/dynamodb/spending.ts";
import { type Item, spendingOf } from "../../adapters/dynamodb/spending-expressions.ts";
import { leaseMilliseconds, type Reservation } from "../../domain/spending/reservation.ts";
import type { Credit, Limits, Spending, SpendingKey } from "../../domain/spending/spending.ts";
import { freeCreditTokens } from "../../domain/tenancy/tenant.ts";
import { type FaultInput, Faults } from "../../local/aws/faults.ts";
import type { AwsRequest, AwsResponse, AwsService } from "../../local/aws/service.ts";
import { Clock } from "../../local/clock.ts";
import { DynamoDb } from "../../local/dynamodb/dynamodb.ts";
import { serveAws } from "./aws-server.ts";
import { region, tableInputs } from "./dynamodb.ts";

const TableName = tableInputs.name;
const credentials = { accessKeyId: "test", secretAccessKey: "test" };

const withActiveIndex = {
  ...tableInputs,
  attributes: [...tableInputs.attributes, ...["gsi2_pk", "gsi2_sk"].map((name) => ({ name, type: "S" }))],
  globalSecondaryIndexes: [
    ...tableInputs.globalSecondaryIndexes,
    { name: table.activeIndex.name, hashKey: "gsi2_pk", rangeKey: "gsi2_sk", projectionType: "KEYS_ONLY" },
  ],
};

/** Strikes calls as the AWS endpoint does; a connection that is cut becomes a server's failure, which is as much of an answer. */
function struck(service: DynamoDb, faults: Faults, calls: string[]): AwsService {
  const neverLeft = new AbortController().signal;
  return {
    signingName: service.signingName,
    operation: (request) => service.operation(request),
    authorizations: (operation, request) => service.authorizations(operation, request),
    failure: (error) => service.failure(error),
    async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
      calls.push(operation);
      const fault = faults.take("dynamodb", operation, request.body);
      if (fault?.when === "before") await fault.strike(neverLeft);
      const answer = await service.handle(operation, request);
      if (fault?.when === "after") await fault.strike(neverLeft);
      return answer;
    },
  };
}

export async function openSpendingTable() {
  const service = await DynamoDb.open({ clock: new Clock(), path: undefined });
  await service.createTable(withActiveIndex);
  const faults = new Faults();
  const calls: string[] = [];
  const server = await serveAws(struck(service, faults, calls));
  const client = new DynamoDBClient({ endpoint: server.url, region, credentials, maxAttempts: 3 });
  const document = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const runtime = { region, credentials, endpoint: server.url };
  const quick = hotPathClient(document, runtime);
  const sendsOnce = hotPathClient(document, runtime, "once");
  const time = { clock: () => Date.now() };
  const storeOver = (via: { client: DynamoDBDocumentClient; sendsOnce?: DynamoDBDocumentClient }) =>
    spendingStore({ ...via, tableName: TableName, clock: () => time.clock() });
  const read = async (Key: Key): Promise<Item | undefined> =>
    (await document.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  const put = (item: Item) => document.send(new PutCommand({ TableName, Item: item }));
  const itemOf = ({ tenantId, callerId, month }: SpendingKey) => read(keys.spending(tenantId, callerId, month));

  return {
    /** The clock of the stores; a test sets its own. */
    time,
    /** The plain client, which sends again what has failed. */
    quick,
    tableName: TableName,
    /** Operations as they arrived. */
    calls,
    storeOver,
    /** A store that remembers nothing yet. */
    newInstance: () => storeOver({ client: quick, sendsOnce }),
    itemOf,
    read,
    of: async (key: SpendingKey): Promise<Spending> => spendingOf(await itemOf(key)),
    creditOf: async ({ tenantId }: SpendingKey): Promise<Credit> => creditOf(await read(keys.credit(tenantId))),
    put,
    /** The caller's item as given, whatever was there. */
    putItem: ({ tenantId, callerId, month }: SpendingKey, item: Item) =>
      put({ ...keys.spending(tenantId, callerId, month), ...item }),
    putCredit: ({ tenantId }: Pick<SpendingKey, "tenantId">, item: Item = {}) =>
      put({ ...keys.credit(tenantId), granted_tokens: freeCreditTokens, spent: 0, committed: 0, ...item }),
    /** What the index of active callers has in a shard. */
    async activeCallers(month: string, shard: number): Promise<Item[]> {
      const { Items = [] } = await document.send(
        new QueryCommand({
          TableName,
          IndexName: table.activeIndex.name,
          KeyConditionExpression: "gsi2_pk = :pk",
          ExpressionAttributeValues: { ":pk": activeIndex.activeCallers(month, shard) },
        }),
      );
      return Items;
    },
    /** Replaces all faults. */
    strike: (...list: Omit<FaultInput, "service">[]) =>
      faults.put(list.map((fault) => ({ service: "dynamodb", ...fault }))),
    async close(): Promise<void> {
      faults.clear();
      client.destroy();
      await server.close();
      await service.close();
    },
  };
}

export type SpendingTable = Awaited<ReturnType<typeof openSpendingTable>>;

export const now = Date.parse("2026-11-21T05:00:00Z");

let keysMade = 0;

/** A caller nobody has met, of a tenant of its own. */
export const aKey = (): SpendingKey => ({ tenantId: `tenant-${++keysMade}`, callerId: "dev", month: "2026-11" });

export function theLimits(changes: Partial<Limits> = {}): Limits {
  return { cap: 100, enforcement: "reserved", maxInFlight: 4, rate: { burst: 100, perMinute: 6_000 }, ...changes };
}

export function aReservation(requestId: string, changes: Partial<Reservation> = {}): Reservation {
  return {
    requestId,
    amount: 10,
    version: 0,
    leaseEndsAt: now + leaseMilliseconds,
    overdraft: false,
    admittedAt: now,
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    bounds: { input: 40, output: 3 },
    onCredit: false,
    ...changes,
  };
}

/** The next version of a reservation, with what changes. */
export function next(reservation: Reservation, changes: Partial<Reservation> = {}): Reservation {
  const { version, leaseEndsAt } = reservation;
  return { ...reservation, version: version + 1, leaseEndsAt: leaseEndsAt + 40_000, ...changes };
}

/** What is wrong with a state, by what holds of every one (docs/decisions/0011). */
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
