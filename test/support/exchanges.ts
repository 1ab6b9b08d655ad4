// A request through the edge with all that can be known of it afterwards, and what every failed answer has to look like.
import { expect } from "@jest/globals";
import type { RefusalCode } from "../../domain/kernel/refusal.ts";
import type { LedgerRow } from "../../domain/ledger/ledger.ts";
import { accountId } from "../../emulators/aws/account.ts";
import type { ReceivedCall } from "../../emulators/bedrock/journal.ts";
import type { Stack } from "../../local/stack.ts";
import { settled } from "./accounting/accounting.ts";
import { type Account, accountingOf } from "./people/accounts.ts";
import { ask } from "./proxy-client.ts";

export type Exchange = {
  response: Response;
  text: string;
  requestId: string | null;
  /** The model host's record, if it had the call. */
  call: ReceivedCall | undefined;
  /** The call's outcome at the moment when the client was told of a failure. */
  outcomeSeen: ReceivedCall["outcome"] | undefined;
  /** The ledger row, once the function has settled the call. */
  row: LedgerRow | undefined;
};

/** Sends a request, reads its answer to the end and waits for the settlement. Of several at once, `call` may be another's. */
export async function exchange(
  stack: Stack,
  account: Account,
  changes: object = {},
  path?: string,
  headers: Record<string, string> = {},
): Promise<Exchange> {
  const known = stack.bedrock.requests().length;
  const response = await ask(stack, changes, { key: account.key, headers, ...(path !== undefined && { path }) });
  let text = "";
  let outcomeSeen: Exchange["outcomeSeen"];
  for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += bytes;
    if (text.includes('"type":"error"')) outcomeSeen ??= stack.bedrock.requests()[known]?.outcome;
  }
  await stack.bedrock.idle();
  await settled(stack);
  const { rows } = await accountingOf(stack, account);
  const requestId = response.headers.get("request-id");
  const row = rows.find(({ request_id }) => request_id === requestId);
  return { response, text, requestId, outcomeSeen, call: stack.bedrock.requests()[known], row };
}

/** How a failure looks; those that are worth a retry say after how many seconds. */
export type Failure = { status: number; type: string; code: RefusalCode; retryAfter?: string; shouldRetry?: "false" };

export function expectFailure({ response, text, requestId }: Exchange, failure: Failure): void {
  expect(response.status).toBe(failure.status);
  expectError(text, failure, requestId);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("retry-after")).toBe(failure.retryAfter ?? null);
  expect(response.headers.get("x-should-retry")).toBe(failure.shouldRetry ?? null);
  for (const name of response.headers.keys()) expect(name).not.toMatch(/amzn|bedrock/);
}

/** Exactly these events, byte for byte, then one error event, and nothing after it. */
export function expectErrorEvent({ response, text, requestId }: Exchange, events: string[], failure: Failure): void {
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const passed = sse(events);
  expect(text.slice(0, passed.length)).toBe(passed);
  const [, json = ""] = /^event: error\ndata: (.*)\n\n$/.exec(text.slice(passed.length)) ?? [];
  expectError(json, failure, requestId);
}

/** The model host's chunks as the client is to get them. */
export function sse(chunks: string[]): string {
  return chunks.map((json) => `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`).join("");
}

/** The whole error; its wording may be any that tells nothing of the platform's inside. */
function expectError(json: string, { type, code }: Failure, requestId: string | null): void {
  expect(requestId).toMatch(/^[\w-]{36}$/);
  expect(JSON.parse(json)).toEqual({
    type: "error",
    error: { type, message: expect.stringMatching(/^[A-Z].{5,120}$/), details: { error_code: code } },
    request_id: requestId,
  });
  expect(json).not.toContain("arn:");
  expect(json).not.toContain(accountId);
  expect(json).not.toMatch(/Exception|amazon|bedrock|dynamo|index\.mjs|node:|\bat /i);
}
