// The accounting of a running stack, read from its table.
import { setTimeout as sleep } from "node:timers/promises";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { spendingOf as readSpending } from "../../../adapters/dynamodb/budget/spending-expressions.ts";
import { ledgerRecord } from "../../../adapters/dynamodb/ledger/ledger.record.ts";
import { adjustmentRecord } from "../../../adapters/dynamodb/metering/adjustment.record.ts";
import { totalRecord } from "../../../adapters/dynamodb/reporting/total.record.ts";
import { table as schema } from "../../../adapters/dynamodb/table.ts";
import type { Spending } from "../../../domain/budget/spending.ts";
import { hourMs, hourOf, monthOf } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { jobsAt, type MeteringJob } from "../../../domain/metering/metering-job.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import { reportingJobs } from "../../../domain/reporting/reporting-job.ts";
import { eventSourceMapping } from "../../../emulators/pulumi/services/event-source-mapping.ts";
import type { Stack } from "../../../local/stack.ts";

/** All items of a partition. */
export function partition(stack: Stack, pk: string): Promise<Record<string, unknown>[]> {
  return query(stack, { KeyConditionExpression: "pk = :pk", ConsistentRead: true }, pk);
}

/** All items of the table, which only a test looks through. */
export async function everything(stack: Stack): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let ExclusiveStartKey: unknown;
  do {
    const page = await read(stack, "Scan", { ExclusiveStartKey });
    items.push(...page.Items.map((item) => unmarshall(item)));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

/** Partition keys of all items in which the id occurs. */
export async function naming(stack: Stack, id: string): Promise<string[]> {
  return (await everything(stack)).filter((item) => JSON.stringify(item).includes(id)).map(({ pk }) => String(pk));
}

/** The keys of everyone who spent in a month in a tenant. */
export async function activeCallers(stack: Stack, month: string, tenantId = tenantOf(stack)) {
  const { name, partitionKey } = schema.activeIndex;
  const asked = { IndexName: name, KeyConditionExpression: `${partitionKey} = :pk` };
  const listed = await query(stack, asked, spendingRecord.activeIndexRange({ month, shard: shardOf(tenantId) }).pk);
  // Other tenants may be of the same shard.
  return listed.filter(({ pk }) => String(pk).includes(`#${tenantId}#`));
}

async function query(stack: Stack, asked: object, pk: string): Promise<Record<string, unknown>[]> {
  const { Items } = await read(stack, "Query", { ExpressionAttributeValues: { ":pk": { S: pk } }, ...asked });
  return Items.map((item) => unmarshall(item));
}

type Page = { Items: Parameters<typeof unmarshall>[0][]; LastEvaluatedKey?: unknown };

async function read(stack: Stack, operation: "Query" | "Scan", input: object): Promise<Page> {
  const [table] = stack.program.resources.ofType("aws:dynamodb/table:Table");
  const answer = await stack.dynamodb.handle(operation, {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { "x-amz-target": `DynamoDB_20120810.${operation}` },
    body: Buffer.from(JSON.stringify({ TableName: table?.outputs.name, ...input })),
    region: stack.program.region,
    principal: undefined,
  });
  return JSON.parse(String(answer.body));
}

/** The item of this key. */
export async function itemAt(stack: Stack, { pk, sk }: { pk: string; sk: string }) {
  return (await partition(stack, pk)).find((item) => item.sk === sk);
}

/** The demo's service account, unless another caller is named. */
export async function spendingOf(stack: Stack, callerId?: string, tenantId = tenantOf(stack)): Promise<Spending> {
  const month = monthOf(stack.clock.now());
  const caller = callerId ?? (await onlyActiveCaller(stack, month));
  return readSpending(await itemAt(stack, spendingRecord.key({ tenant_id: tenantId, caller_id: caller, month })));
}

/**
 * The ledger of all hours from a time's to the present one, for the demo's tenant unless another is named. The time is one before
 * the call that is looked for: an hour may begin while it runs.
 */
export async function ledgerSince(stack: Stack, time: number, tenantId = tenantOf(stack)): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (let hour = time; hourOf(hour) <= hourOf(stack.clock.now()); hour += hourMs) {
    rows.push(
      ...((await partition(stack, ledgerRecord.range({ tenant_id: tenantId, hour: hourOf(hour) }).pk)) as LedgerRow[]),
    );
  }
  return rows;
}

/**
 * Runs the meter's jobs, and the notices that they queue. Only jobs that find something are queued: the others would
 * each be a call of the function that reads an empty index. The whole schedule is `stack.schedules.run("meter")`.
 */
export async function runMeter(stack: Stack): Promise<void> {
  const now = stack.clock.now();
  const listed = await listedShards(stack);
  const isDue = ({ month, shard }: MeteringJob) =>
    listed.has(spendingRecord.activeIndexRange({ month, shard }).pk) ||
    (month === monthOf(now) && listed.has(adjustmentRecord.activeIndexRange({ shard }).pk));
  queueJobs(stack, "meter", jobsAt(now).filter(isDue));
  await workedOff(stack);
}

/** Reports usage to the payment provider: the jobs that find some, and what these queue. */
export async function runReporting(stack: Stack): Promise<void> {
  const listed = await listedShards(stack);
  queueJobs(
    stack,
    "report",
    reportingJobs.filter(({ shard }) => listed.has(totalRecord.activeIndexRange({ shard }).pk)),
  );
  await workedOff(stack);
}

/** The partitions of the second index that list anything. */
async function listedShards(stack: Stack): Promise<Set<unknown>> {
  return new Set((await everything(stack)).map((item) => item[schema.activeIndex.partitionKey]));
}

/** @param schedule whose function sends these jobs, to the queue that it also works for. */
function queueJobs(stack: Stack, schedule: string, jobs: object[]): void {
  const { resources } = stack.program;
  const mapping = resources.ofType(eventSourceMapping.type).find(({ name }) => name === schedule);
  const queue = stack.queues.byArn(mapping?.inputs.eventSourceArn);
  if (!queue) throw new Error(`no queue has the jobs of ${schedule}`);
  for (const job of jobs) queue.send({ body: JSON.stringify(job), senderId: "test" });
}

/** All queues' messages, and those that the meter's jobs sent to a queue which was idle before. */
export async function workedOff({ queuePoller }: Stack): Promise<void> {
  await queuePoller.idle();
  await queuePoller.idle();
}

/** Longer than a message that failed stays hidden, and than a lease stands. */
const restMs = 5 * 60_000;

/** All that waits is done: what could not be settled, from the queue, and what nobody holds any more, by the meter. */
export async function accounted(stack: Stack): Promise<void> {
  await stack.queuePoller.idle();
  stack.clock.advance(restMs);
  await stack.queuePoller.idle();
  await runMeter(stack);
}

/** Resolves once no function works any more: what follows an answer's last byte is done then. */
export async function settled({ functions }: Stack): Promise<void> {
  while (functions.all.some(({ inFlight }) => inFlight > 0)) {
    await sleep(1);
  }
}

async function onlyActiveCaller(stack: Stack, month: string): Promise<string> {
  const [active] = await activeCallers(stack, month);
  return String(active?.gsi2_sk).split("#")[1] ?? "";
}

function tenantOf({ demo }: Stack): string {
  if (!demo) throw new Error("the stack has no demo tenant");
  return demo.tenant_id;
}
