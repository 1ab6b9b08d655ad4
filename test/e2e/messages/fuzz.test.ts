// Generated requests against the proxy and the control plane: no 500, no hang, every refusal in the one error shape.
// ARCHWAY_FUZZ sets how many, ARCHWAY_FUZZ_SEED which.
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { accountId } from "../../../emulators/aws/account.ts";
import { refusalForms } from "../../../handlers/middleware/refusal-form.ts";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import {
  exchangeRaw,
  isMalformed,
  type RawAnswer,
  type RawRequest,
  requests,
  type Vocabulary,
} from "../../support/fuzz.ts";
import { type Account, accountingOf, expectClosed, openAccount } from "../../support/people/accounts.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";
import { sizes } from "../../support/sizes.ts";

const count = sizes.fuzz;
const seed = Number(process.env.ARCHWAY_FUZZ_SEED ?? 20261121);
const atOnce = 8;

let stack: Stack;
let account: Account;
let secrets: string[];
let vocabulary: Vocabulary;

beforeAll(async () => {
  stack = await startSeeded();
  account = await openAccount(stack, { max_in_flight: 200 });
  const { demo } = stack;
  if (!demo) throw new Error("no demo");
  const token = await helperToken(stack, demo.developer);
  secrets = [account.key, token, demo.api_key];
  vocabulary = {
    hosts: [
      "acme.proxy.localhost",
      "acme.proxy.localhost",
      "ACME.proxy.localhost:80",
      "nobody.proxy.localhost",
      "-.proxy.localhost",
      "api.localhost",
    ],
    paths: [
      "/vendor/v1/messages",
      "/vendor/v1/messages",
      "/anthropic/v1/messages",
      "/vendor/v1/messages/count_tokens",
      "/vendor/v1/messages/batches",
      "/vendor/v1/models",
      "/vendor/v1/models/claude-sonnet-5",
      "/vendor//v1/messages",
      "/v1/messages",
      "/v1/keys",
      "/v1/me",
      "/v1/tenants",
      "/",
    ],
    credentials: [
      ["x-api-key", account.key],
      ["x-api-key", account.key],
      ["authorization", `Bearer ${account.key}`],
      ["authorization", `Bearer ${token}`],
      ["authorization", `Bearer ${await consoleToken(stack, demo.owner)}`],
    ],
    models: ["claude-sonnet-5", "claude-sonnet-5", "claude-haiku-4-5", "claude-sonnet-4-6", "no-model"],
  };
});
afterAll(() => stack.stop());

const statuses = new Set<number>(Object.values(refusalForms).map(({ status }) => status));
const types = new Set<string>(Object.values(refusalForms).map(({ type }) => type));

/** What is wrong with an answer, or undefined. */
function complaint(request: RawRequest, answer: RawAnswer | undefined): string | undefined {
  if (!answer) return isMalformed(request) ? undefined : "no answer";
  const { status, headers, body } = answer;
  // The one ARN that the specification shows is that of a tenant's key.
  const shown = body.replaceAll(/"kms_cmk_arn":"[^"]*"/g, "");
  const told = JSON.stringify({ status, headers, shown });
  if (/arn:aws|node:internal|index\.mjs/.test(told) || shown.includes(`:${accountId}:`)) {
    return "tells of the inside";
  }
  if (secrets.some((secret) => body.includes(secret)) && !request.path.includes("/v1/keys")) return "tells a secret";
  // Node's own parser answers as CloudFront does: without a body.
  if ([400, 417, 431].includes(status) && body === "" && isMalformed(request)) return undefined;
  if (status === 200 || status === 201) {
    return /^(application\/json|text\/event-stream)/.test(headers["content-type"] ?? "") ? undefined : "a strange type";
  }
  if (status === 204) return undefined;
  if (status >= 500 && status !== 501) return "a fault of ours";
  if (!statuses.has(status)) return "an unknown status";
  if (request.method === "HEAD") return undefined;
  if (!headers["content-type"]?.startsWith("application/json")) return "a refusal that is no JSON";
  const { type, error, request_id } = parsed(body);
  if (type !== "error" || !types.has(error?.type) || typeof error.message !== "string") return "another error shape";
  if (!request_id || request_id !== headers["request-id"]) return "request ids that differ";
  return undefined;
}

function parsed(body: string) {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

/** Asks as clients do, which ask again, after the time that they are told, where a slow machine's store was late. */
async function exchange(port: number, request: RawRequest): Promise<RawAnswer | undefined> {
  for (let more = 9; ; more--) {
    const answer = await exchangeRaw(port, request);
    if (more === 0 || !answer?.body.includes('"store_unavailable"')) return answer;
    await setTimeout(Number(answer.headers["retry-after"]) * 1_000);
  }
}

const shown = ({ body, ...request }: RawRequest) =>
  JSON.stringify({
    ...request,
    headers: request.headers.map((pair) => pair.map((word) => word.slice(0, 60))),
    body: body.toString("latin1").slice(0, 300),
  });

test(
  `${count} generated requests get an answer or a documented refusal`,
  async () => {
    const generated = fc.sample(requests(vocabulary), { numRuns: count, seed });
    const complaints: string[] = [];
    const port = Number(new URL(stack.edge).port);
    const send = async (request: RawRequest) => {
      const answer = await exchange(port, request).catch((error: Error) => error);
      const wrong = answer instanceof Error ? answer.message : complaint(request, answer);
      if (wrong) complaints.push(`${wrong}: ${shown(request)} got ${String(JSON.stringify(answer)).slice(0, 500)}`);
    };
    const queue = [...generated];
    const work = async () => {
      for (let next = queue.pop(); next; next = queue.pop()) await send(next);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    expect(complaints).toEqual([]);
  },
  60_000 + count * 100,
);

test("after generated requests nothing is reserved, the accounting is consistent, and the proxy works", async () => {
  await stack.bedrock.idle();
  await settled(stack);
  await expectClosed(stack, account);
  expect((await accountingOf(stack, account)).rows.length).toBeGreaterThan(0);
  const response = await ask(stack, {}, { key: account.key });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("message_stop");
});
