// A stack that calls models by Bedrock's own Messages endpoint: the same answers, refusals and bills as by InvokeModel.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { exchange } from "../../support/exchanges.ts";
import { type Account, openAccount } from "../../support/people/accounts.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { aServiceAccount, ask } from "../../support/proxy-client.ts";

let stack: Stack;
let account: Account;
beforeAll(async () => {
  stack = await startSeeded({ config: { "archway:messagesEndpoint": '["*"]' } });
  account = await openAccount(stack);
});
afterAll(() => stack.stop());

const claudeCode = { metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' } };

test.each([
  ["a stream", { stream: true }],
  ["a whole answer", { stream: false }],
  ["a long whole answer, which is read as a stream", { stream: false, max_tokens: 20_000 }],
])("%s by the Messages endpoint is billed what the model host counted", async (_, changes) => {
  const { response, text, call, row } = await exchange(stack, account, { ...claudeCode, ...changes });
  expect([response.status, call?.isNative, call?.outcome]).toEqual([200, true, "complete"]);
  // The endpoint refuses the user's id as Claude Code writes it, and takes its hash.
  expect(call?.body).toMatchObject({ metadata: { user_id: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  if (changes.stream)
    expect(text).toBe(call?.chunks.map((json) => `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`).join(""));
  else expect(JSON.parse(text)).toMatchObject({ type: "message", role: "assistant" });
  expect(row).toMatchObject({
    source: "final",
    usage: { input: call?.usage?.input_tokens, output: call?.usage?.output_tokens },
  });
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("a field that the Messages endpoint does not know is left out and named, or refused by name", async () => {
  const healed = await exchange(stack, account, { of_tomorrow: 1 });
  expect([healed.response.status, healed.response.headers.get("x-archway-dropped")]).toEqual([200, "of_tomorrow"]);
  const tools = [{ name: "a", input_schema: { type: "object" }, strict: true }];
  const refused = await exchange(stack, account, { tools });
  expect([refused.response.status, JSON.parse(refused.text).error.message]).toEqual([
    400,
    "tools[].strict: is not available here, the model host does not know it",
  ]);
});

test.each([0, 3])("a stream of the Messages endpoint that fails after %i events is settled once", async (after) => {
  stack.bedrock.fail({ error: "internalServerException", after });
  const { response, text, row } = await exchange(stack, account, { stream: true });
  expect(response.status).toBe(after === 0 ? 502 : 200);
  expect(text).toContain('"type":"error"');
  if (after > 0) expect(row?.cost).toBeGreaterThan(0);
});

test.each([true, false])(
  "a call of the Messages endpoint (stream: %j) goes to the grant's second region when its own has no room",
  async (stream) => {
    const [own, second] = ["eu-central-1", "eu-central-2"];
    const grant = { allowed_regions: [own, second], default_region: own, fallback_region: second };
    const { key } = await aServiceAccount(stack, grant);
    const known = stack.bedrock.requests().length;
    stack.bedrock.fail({ error: "ServiceUnavailableException", region: own });
    const response = await ask(stack, { stream }, { key });
    await response.text();
    expect([response.status, response.headers.get("x-archway-region")]).toEqual([200, second]);
    const called = stack.bedrock.requests().slice(known);
    expect(called.map(({ region, isNative }) => [region, isNative])).toEqual([
      [own, true],
      [second, true],
    ]);
    await settled(stack);
  },
);
