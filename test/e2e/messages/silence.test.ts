// A model host that falls silent in a stack with pings: the stream stays open, and ends when the stack's bound is reached.
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Program } from "../../../local/program/program.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { exchange, expectErrorEvent, sse } from "../../support/exchanges.ts";
import { type Account, countedCost, expectClosed, openAccount } from "../../support/people/accounts.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
const overloaded = { status: 200, type: "overloaded_error", code: "upstream_overloaded" } as const;

let stack: Stack;
let account: Account;

beforeAll(async () => {
  stack = await startSeeded({ change: shortened });
  account = await openAccount(stack);
});
afterAll(() => stack.stop());
afterEach(async () => {
  stack.bedrock.clear();
  await settled(stack);
  await expectClosed(stack, account);
});

/** Nobody waits for a quarter of a minute, nor for five. */
function shortened({ resources }: Program): void {
  const proxy = resources.ofType("aws:lambda/function:Function").find(({ name }) => name === "proxy");
  if (!proxy) throw new Error("the program declares no proxy");
  expect(proxy.inputs.environment.variables).toMatchObject({ PING_SECONDS: "15", HOST_SILENCE_SECONDS: "300" });
  Object.assign(proxy.inputs.environment.variables, { PING_SECONDS: "1", HOST_SILENCE_SECONDS: "4" });
}

test("a silence before the first event is bridged with pings, and the SDK reads the answer", async () => {
  stack.bedrock.configure({ firstByteMs: 2_500 });
  const { response, text, call, row } = await exchange(stack, account);
  expect(response.status).toBe(200);
  expect(text).toMatch(/^event: ping\n/);
  expect(text.replaceAll(ping, "")).toBe(sse(call?.chunks ?? []));
  expect(row).toMatchObject({ source: "final", cost: call && countedCost(call) });

  const client = new Anthropic({ apiKey: account.key, baseURL: `${stack.at(`${stack.demo?.slug}.proxy`)}/vendor` });
  const message = await client.messages
    .stream({ model: "claude-sonnet-5", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] })
    .finalMessage();
  expect(message.stop_reason).toBe("end_turn");
});

test.each([0, 40])(
  "a silence for ever after %i events ends with an error event, and the call is settled once by what is known",
  async (after) => {
    stack.bedrock.configure({ outputTokens: 60, tokensPerEvent: 1 });
    stack.bedrock.fail({ error: "stall", after });
    const made = await exchange(stack, account, { max_tokens: 1_000 });
    const call = made.call;
    expect(made.text).toContain(ping);
    expectErrorEvent({ ...made, text: made.text.replaceAll(ping, "") }, call?.chunks ?? [], overloaded);
    expect(call?.chunks).toHaveLength(after);
    expect(made.row).toMatchObject({ source: "estimated", usage: { output: 1_000 } });
    expect(made.row?.known?.cost).toBeLessThan(made.row?.cost ?? 0);
    expect(made.outcomeSeen).not.toBe("complete");
  },
);
