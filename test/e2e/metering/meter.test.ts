import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { rollupRecord } from "../../../adapters/dynamodb/ledger/rollup.record.ts";
import { reportRecord } from "../../../adapters/dynamodb/metering/report.record.ts";
import { graceMs, leaseMs } from "../../../domain/budget/reservation.ts";
import { unsettledMessage } from "../../../domain/budget/unsettled.ts";
import { hourOf, monthOf, nextMonth } from "../../../domain/kernel/period.ts";
import { billable } from "../../../domain/ledger/ledger.ts";
import type { Rollup } from "../../../domain/ledger/rollup.ts";
import { shardCount } from "../../../domain/metering/shard.ts";
import type { Stack } from "../../../local/stack.ts";
import {
  itemAt,
  ledgerSince,
  partition,
  runMeter,
  settled,
  spendingOf,
  workedOff,
} from "../../support/accounting/accounting.ts";
import { usageBy } from "../../support/accounting/usage-by.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startSeeded();
});
afterAll(() => stack.stop());

const tenantId = () => stack.demo?.tenant_id ?? "";

function send(max_tokens: number, signal?: AbortSignal): Promise<Response> {
  return fetch(`${stack.at("acme.proxy")}/vendor/v1/messages`, {
    method: "POST",
    ...(signal && { signal }),
    headers: { "content-type": "application/json", "x-api-key": stack.demo?.api_key ?? "" },
    body: JSON.stringify({
      model: "claude-sonnet-5",
      max_tokens,
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
}

async function ask(): Promise<void> {
  const response = await send(100);
  expect(response.status).toBe(200);
  await response.text();
  await settled(stack);
}

/** A call whose function dies in mid-stream. */
async function die() {
  stack.bedrock.fail({ error: "stall", after: 2 });
  const controller = new AbortController();
  const response = await send(50, controller.signal);
  await response.body?.getReader().read();
  const [reservation] = (await spendingOf(stack)).reservations;
  if (!reservation) throw new Error("the call has no reservation");
  await stack.functions.byName("proxy-local").kill();
  controller.abort();
  return reservation;
}

async function rollupsOf(hour: string): Promise<Rollup[]> {
  const rollups = (await partition(
    stack,
    rollupRecord.range({ tenant_id: tenantId(), hour: hour.slice(0, 7) }).pk,
  )) as Rollup[];
  return rollups.filter((rollup) => rollup.hour === hour);
}

test("usage that the store did not accept is settled from the queue, at the model host's count", async () => {
  await ask();
  const asked = stack.clock.now();
  const before = (await ledgerSince(stack, asked)).length;
  stack.faults.put([
    { service: "dynamodb", operation: "PutItem", match: "LEDGER#", when: "before", kind: "error", times: 100 },
  ]);
  await ask();
  expect((await ledgerSince(stack, asked)).length).toBe(before);
  expect((await spendingOf(stack)).reservations).toHaveLength(1);
  stack.faults.clear();

  // A message that failed comes back when it is visible again.
  stack.clock.advance(10 * 60_000);
  await stack.queuePoller.idle();
  const rows = await ledgerSince(stack, asked);
  expect(rows).toHaveLength(before + 1);
  const counted = stack.bedrock.requests().at(-1)?.usage;
  expect(rows.map(({ usage, source }) => [usage.output, source])).toContainEqual([counted?.output_tokens, "final"]);
  expect(await spendingOf(stack)).toMatchObject({ inflight: 0, reservations: [] });
});

test("usage that neither store nor queue accepted is replayed from the log", async () => {
  await ask();
  const asked = stack.clock.now();
  const before = (await ledgerSince(stack, asked)).length;
  stack.faults.put([
    { service: "dynamodb", operation: "PutItem", match: "LEDGER#", when: "before", kind: "error", times: 100 },
    { service: "sqs", operation: "SendMessage", when: "before", kind: "error", times: 100 },
  ]);
  await ask();
  stack.faults.clear();
  await stack.queuePoller.idle();
  expect((await ledgerSince(stack, asked)).length).toBe(before);
  const lines = stack.logs.lines().map(({ line }) => line);
  expect(lines.filter((line) => line.includes(unsettledMessage))).toHaveLength(1);
  expect(stack.alarms.ringing()).toContain("proxy-unsettled");

  expect(await replayed(lines)).toBe("1 of the lines were usage, and are in the queue.");
  await stack.queuePoller.idle();
  expect((await ledgerSince(stack, asked)).length).toBe(before + 1);
  expect(await spendingOf(stack)).toMatchObject({ inflight: 0, reservations: [] });
});

/** What `npm run replay` says to these lines, run by somebody who may do what the proxy may. */
async function replayed(lines: string[]): Promise<string> {
  const queue = stack.program.resources.ofType("aws:sqs/queue:Queue").find(({ name }) => name === "unsettled");
  const role = [...stack.iam.roles.values()].find(({ name }) => name === "proxy-local");
  const keysOf = stack.credentials.issue({ roleArn: role?.arn ?? "", sessionName: "operator", sessionTags: {} });
  const child = spawn(process.execPath, ["operations/replay-unsettled.ts", queue?.outputs.url], {
    env: {
      ...process.env,
      AWS_ENDPOINT_URL: stack.aws,
      AWS_REGION: stack.program.region,
      AWS_ACCESS_KEY_ID: keysOf.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keysOf.secretAccessKey,
      AWS_SESSION_TOKEN: keysOf.sessionToken,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(lines.join("\n"));
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return said.trim();
}

test("a closed hour's rollups equal its ledger, however often they are computed, and its report is frozen", async () => {
  await ask();
  const asked = stack.clock.now();
  const rows = await ledgerSince(stack, asked);
  stack.clock.advance(2 * 3600 * 1000);
  await runMeter(stack);
  await runMeter(stack);
  const [total] = usageBy(await rollupsOf(hourOf(asked)), []);
  const cost = rows.reduce((sum, row) => sum + row.cost, 0);
  expect(total).toMatchObject({
    requests: rows.length,
    cost,
    output: rows.reduce((sum, { usage }) => sum + usage.output, 0),
  });
  const report = await itemAt(stack, reportRecord.key({ tenant_id: tenantId(), hour: hourOf(asked) }));
  expect(report).toMatchObject({ value: 0, credit_value: cost });
});

test("a reservation whose caller does not call again is booked at its amount, until the true usage is known", async () => {
  const reservation = await die();
  stack.clock.advance(leaseMs + graceMs + 1);
  await runMeter(stack);
  const rows = await ledgerSince(stack, reservation.admittedAt);
  expect(rows).toContainEqual(
    expect.objectContaining({
      request_id: reservation.requestId,
      source: "estimated",
      cost: reservation.amount,
      provisional: true,
    }),
  );
  expect(await spendingOf(stack)).toMatchObject({ inflight: 0, reservations: [] });
});

test("an hour with a provisional row is rolled up at once, and reported a day later", async () => {
  const asked = stack.clock.now();
  const hour = hourOf(asked);
  await ask();
  const rows = await ledgerSince(stack, asked);
  const costOf = (some: typeof rows) => some.reduce((sum, { cost }) => sum + cost, 0);
  const before = costOf(rows);
  const known = costOf(rows.filter(({ provisional }) => !provisional));
  const { amount, known: told } = await die();
  stack.clock.advance(2 * 3600 * 1000);
  await runMeter(stack);
  await runMeter(stack);
  expect(usageBy(await rollupsOf(hour), [])[0]?.cost).toBe(before + amount);
  // An invoice has of a dead call what was known of it, and not what was reserved for it.
  const billed = rows.reduce((sum, row) => sum + billable(row).cost, 0) + (told ?? 0);
  expect(told).toBeLessThan(amount / 2);
  expect(usageBy(await rollupsOf(hour), [])[0]?.billable_cost).toBe(billed);
  expect(await itemAt(stack, reportRecord.key({ tenant_id: tenantId(), hour }))).toBeUndefined();
  stack.clock.advance(24 * 3600 * 1000);
  await runMeter(stack);
  const report = await itemAt(stack, reportRecord.key({ tenant_id: tenantId(), hour }));
  expect(report).toMatchObject({ value: billed - known, credit_value: known });
});

test("a past month is closed to its last hour, and then not processed again", async () => {
  const month = monthOf(stack.clock.now());
  await ask();
  stack.clock.advance(nextMonth(stack.clock.now()) + 48 * 3600 * 1000 - stack.clock.now());
  const listings = () => stack.calls.all().filter(({ decisions }) => asksFor(decisions, `ACTIVE#${month}#`)).length;
  const before = listings();
  await stack.schedules.run("meter");
  await workedOff(stack);
  const once = listings();
  expect(once - before).toBe(shardCount);
  await stack.schedules.run("meter");
  await workedOff(stack);
  expect(listings()).toBe(once);
});

test("a schedule whose runs fail raises an alarm after two periods, until a run succeeds", async () => {
  await stack.schedules.run("purge");
  stack.clock.advance(2 * 86_400_000);
  stack.faults.put([{ service: "dynamodb", operation: "Query", when: "before", kind: "error", times: 100 }]);
  await expect(stack.schedules.run("purge")).rejects.toThrow();
  stack.faults.clear();
  expect(stack.alarms.ringing()).toEqual(expect.arrayContaining(["purge-silent", "purge-errors"]));
  await stack.schedules.run("purge");
  expect(stack.alarms.ringing()).not.toContain("purge-silent");
});

function asksFor(decisions: { leadingKeys?: string | string[] }[], prefix: string): boolean {
  return decisions.some(({ leadingKeys }) => [leadingKeys ?? []].flat().some((key) => key.startsWith(prefix)));
}
