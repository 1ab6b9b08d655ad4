// Where Bedrock's invocations are logged: calls whose end nobody heard are billed by the log's tokens.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { billable } from "../../../domain/ledger/ledger.ts";
import { accountId, accountIn } from "../../../emulators/aws/account.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { modelHostAccountId } from "../../../local/program/program.ts";
import type { Demo } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { ledgerSince, runMeter, settled, spendingOf } from "../../support/accounting/accounting.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

let stack: Stack;

/** @param after how many events its stream breaks: a long whole answer is one at the model host */
async function cut(after: number, stream: boolean): Promise<void> {
  stack.bedrock.fail({ error: "break", after });
  const response = await fetch(`${stack.at("acme.proxy")}/vendor/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": stack.demo?.api_key ?? "" },
    body: JSON.stringify({
      ...{ model: "claude-sonnet-5", max_tokens: 32_000, stream },
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
  await response.text();
  await settled(stack);
}

describe.each([
  ["the platform's account has the models", { "archway:modelHost": undefined }, accountId],
  ["another account has the models, by a role there that reads the log", {}, modelHostAccountId],
])("where %s", (_, config, account) => {
  beforeAll(async () => {
    stack = await startSeeded({ config: { "archway:invocationLogs": "/bedrock/invocations", ...config } });
  });
  afterAll(() => stack.stop());

  test("a broken answer, streamed or whole, is billed at the model host's count, and the rest of its bound is given back to the budget", async () => {
    const from = stack.clock.now();
    for (const after of [0, 3]) for (const stream of [true, false]) await cut(after, stream);
    const before = await ledgerSince(stack, from);
    expect(before.map(({ provisional, source }) => [provisional, source])).toEqual(Array(4).fill([true, "estimated"]));
    const counted = stack.bedrock.requests().map(({ usage }) => [usage?.input_tokens, usage?.output_tokens]);

    stack.clock.advance(3 * 3_600_000);
    await runMeter(stack);
    const after = await ledgerSince(stack, from);
    expect(after.map(({ usage }) => [usage.input, usage.output]).toSorted()).toEqual(counted.toSorted());
    expect(after.map(({ provisional, known, source }) => [provisional, known, source])).toEqual(
      Array(4).fill([undefined, undefined, "final"]),
    );
    const sum = after.reduce((total, row) => total + billable(row).cost, 0);
    expect(sum).toBeLessThan(before.reduce((total, row) => total + row.cost, 0) / 10);
    expect(await spendingOf(stack)).toMatchObject({ spent: sum, reservations: [] });

    const { owner } = stack.demo as Demo;
    const headers = { authorization: `Bearer ${await consoleToken(stack, owner)}` };
    const answer = await fetch(`${stack.at("api")}/v1/usage?group_by=model`, { headers });
    const { data } = (await answer.json()) as { data: { cost_usd: number; estimated_cost_usd: number }[] };
    expect(data.map((row) => [Math.round(row.cost_usd * 1e9), row.estimated_cost_usd])).toEqual([[sum, 0]]);
    const calls = stack.calls.all();
    expect(calls.filter(({ allowed }) => !allowed)).toEqual([]);
    const searched = calls.flatMap(({ decisions }) => decisions.filter(({ action }) => action === "logs:StartQuery"));
    expect([...new Set(searched.map(({ resource }) => accountIn(resource)))]).toEqual([account]);
  });
});
