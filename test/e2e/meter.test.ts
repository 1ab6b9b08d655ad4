import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { keys } from "../../adapters/dynamodb/schema.ts";
import { monthOf } from "../../domain/period.ts";
import { type Rollup, usageBy } from "../../domain/spending/rollup.ts";
import { type Stack, startLocal } from "../../local/stack.ts";
import { ledgerOf, partition, settled, spendingOf } from "../support/accounting.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startLocal({ port: 0, ephemeral: true });
});
afterAll(() => stack.stop());

async function ask(): Promise<void> {
  const response = await fetch(`${stack.at("acme.proxy")}/vendor/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": stack.demo?.api_key ?? "" },
    body: JSON.stringify({
      model: "claude-sonnet-5",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
  expect(response.status).toBe(200);
  await response.text();
  await settled(stack);
}

const runMeter = () => stack.schedules.run("metering");

test("what the store would not take is settled from the log, at what the model host counted", async () => {
  await ask();
  const asked = stack.clock.now();
  const before = (await ledgerOf(stack, asked)).length;
  stack.faults.put([
    { service: "dynamodb", operation: "PutItem", match: "LEDGER#", when: "before", kind: "error", times: 100 },
  ]);
  await ask();
  expect((await ledgerOf(stack, asked)).length).toBe(before);
  expect((await spendingOf(stack)).reservations).toHaveLength(1);
  stack.faults.clear();

  await runMeter();
  const rows = await ledgerOf(stack, asked);
  expect(rows).toHaveLength(before + 1);
  const counted = stack.bedrock.requests().at(-1)?.usage;
  expect(rows.map(({ usage, source }) => [usage.output, source])).toContainEqual([counted?.output_tokens, "final"]);
  expect(await spendingOf(stack)).toMatchObject({ inflight: 0, reservations: [] });
});

test("rollups of a closed hour equal its ledger, however often they are made", async () => {
  await ask();
  const asked = stack.clock.now();
  const rows = await ledgerOf(stack, asked);
  stack.clock.advance(2 * 3600 * 1000);
  await runMeter();
  await runMeter();
  const tenantId = stack.demo?.tenant_id ?? "";
  const rollups = (await partition(stack, keys.rollups(tenantId, monthOf(asked)).pk)) as Rollup[];
  const [total] = usageBy(rollups, []);
  expect(total).toMatchObject({
    requests: rows.length,
    cost: rows.reduce((sum, { cost }) => sum + cost, 0),
    output: rows.reduce((sum, { usage }) => sum + usage.output, 0),
  });
});

test("a reservation whose caller stays away is settled at its reserved cost", async () => {
  stack.bedrock.fail({ error: "stall", after: 2 });
  const controller = new AbortController();
  const response = await fetch(`${stack.at("acme.proxy")}/vendor/v1/messages`, {
    method: "POST",
    signal: controller.signal,
    headers: { "content-type": "application/json", "x-api-key": stack.demo?.api_key ?? "" },
    body: JSON.stringify({
      model: "claude-sonnet-5",
      max_tokens: 50,
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
  await response.body?.getReader().read();
  const [reservation] = (await spendingOf(stack)).reservations;
  await stack.functions.byName("proxy-local").kill();
  controller.abort();
  stack.clock.advance((reservation?.expiresAt ?? 0) - stack.clock.now());
  await runMeter();
  const rows = await ledgerOf(stack, reservation?.admittedAt ?? 0);
  expect(rows).toContainEqual(
    expect.objectContaining({
      request_id: reservation?.requestId,
      source: "estimated",
      cost: reservation?.reservedCost,
    }),
  );
  expect(await spendingOf(stack)).toMatchObject({ inflight: 0, reservations: [] });
});
