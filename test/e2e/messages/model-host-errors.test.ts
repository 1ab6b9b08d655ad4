// Every way in which the model host can fail, as the client sees it and as it is billed: what was never begun costs nothing,
// what was counted is billed, and what nobody heard to its end is settled at no less than the model host bills for it.

import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { accountId } from "../../../emulators/aws/account.ts";
import type { Fault } from "../../../emulators/bedrock/faults.ts";
import type { ReceivedCall } from "../../../emulators/bedrock/journal.ts";
import type { Program } from "../../../local/program/program.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import {
  type Exchange,
  expectErrorEvent,
  expectFailure,
  type Failure,
  exchange as send,
  sse,
} from "../../support/exchanges.ts";
import { type Account, countedCost, countedUsage, expectClosed, openAccount } from "../../support/people/accounts.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

/** How long the model host may be silent in these tests, and how long a call may take in all. */
const idleMs = 3_000;
/** Long enough for what a slow machine adds to the four seconds of the slowest answer. */
const callMs = 12_000;
/** Kept of the function's time for settlement. */
const settlementSeconds = 20;
const maxTokens = 1_000;

let stack: Stack;
let account: Account;

beforeAll(async () => {
  stack = await startSeeded({ change: shortened });
  account = await openAccount(stack);
});
afterAll(() => stack.stop());
beforeEach(() => {
  // A hundred events and more, whose text is far shorter than what max_tokens allows.
  stack.bedrock.configure({ outputTokens: 120, tokensPerEvent: 1 });
});
afterEach(async () => {
  jest.restoreAllMocks();
  stack.bedrock.clear();
  stack.faults.clear();
  await settled(stack);
  await expectClosed(stack, account).catch(async (error) => {
    // The tests after it are not to fail for this one.
    account = await openAccount(stack);
    throw error;
  });
});

/** CloudFront waits two minutes and the function's time is a quarter of an hour; nobody waits for either here. */
function shortened({ resources }: Program): void {
  const proxy = resources.ofType("aws:lambda/function:Function").find(({ name }) => name === "proxy");
  if (!proxy) throw new Error("the program declares no proxy");
  proxy.inputs.environment.variables.IDLE_TIMEOUT_SECONDS = String(idleMs / 1000);
  delete proxy.inputs.environment.variables.PING_SECONDS;
  proxy.inputs.timeout = settlementSeconds + callMs / 1000;
}

type Way = "a stream" | "a whole answer" | "a count";

async function exchange(way: Way): Promise<Exchange & { call: ReceivedCall }> {
  const made = await (way === "a count"
    ? send(stack, account, { model: "claude-sonnet-4-6" }, "/vendor/v1/messages/count_tokens")
    : send(stack, account, { stream: way === "a stream", max_tokens: maxTokens }));
  return { ...made, call: made.call as ReceivedCall };
}

type Made = Awaited<ReturnType<typeof exchange>>;

const rejected: Failure = { status: 400, type: "invalid_request_error", code: "invalid_request" };
const failed: Failure = { status: 502, type: "api_error", code: "upstream_failed" };
/** Nobody knows what came of the call, which may be billed: a client is not to try again by itself. */
const unknown = { ...failed, shouldRetry: "false" } as const;
const overloaded: Failure = { status: 503, type: "overloaded_error", code: "upstream_overloaded", retryAfter: "5" };
const tooSlow: Failure = { status: 503, type: "overloaded_error", code: "upstream_too_slow", shouldRetry: "false" };

const refusals: [Fault["error"], Failure][] = [
  ["ValidationException", rejected],
  ["AccessDeniedException", failed],
  ["ResourceNotFoundException", failed],
  ["ModelErrorException", failed],
  ["InternalServerException", failed],
  ["ThrottlingException", overloaded],
  ["ServiceQuotaExceededException", overloaded],
  ["ServiceUnavailableException", overloaded],
  ["ModelNotReadyException", overloaded],
  ["ModelTimeoutException", overloaded],
];

const exceptions: [Fault["error"], Failure][] = [
  ["validationException", rejected],
  ["modelStreamErrorException", failed],
  ["internalServerException", failed],
  ["throttlingException", overloaded],
  ["serviceUnavailableException", overloaded],
  ["modelTimeoutException", overloaded],
];

const disturbances: Fault["error"][] = ["stall", "break", "truncate", "garbage"];

test("the tables of this test contain every fault of the model host", () => {
  const unknown = "not a fault" as Fault["error"];
  const message = messageOf(() => stack.bedrock.fail({ error: unknown }));
  const known = [...message.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  expect(known.sort()).toEqual(
    [...refusals, ...exceptions]
      .map(([name]) => name)
      .concat(disturbances)
      .sort(),
  );
});

function messageOf(act: () => void): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it was no error");
}

describe.each<Way>(["a stream", "a whole answer", "a count"])("a refusal before %s", (way) => {
  test.each(refusals)("the model host's refusal %s costs nothing", async (error, answer) => {
    stack.bedrock.fail({ error });
    const made = await exchange(way);
    expectFailure(made, answer);
    expect(made.call).toMatchObject({ outcome: "failed", error });
    expect(made.call.usage).toBeUndefined();
    expect(made.row).toBeUndefined();
  });
});

/** On some day Bedrock ends a model that the catalog still has. Clients repeat a 502 and never a 404. */
describe.each<Way>(["a stream", "a whole answer", "a count"])(
  "a model that the host has ended, asked for %s",
  (way) => {
    test("a model that the host has retired is refused as unknown with advice, and costs nothing", async () => {
      const message =
        "This model version has reached the end of its life. Please refer to the AWS documentation for more details.";
      stack.bedrock.fail({ error: "ResourceNotFoundException", message });
      const made = await exchange(way);
      expectFailure(made, { status: 404, type: "not_found_error", code: "model_unknown" });
      expect(made.text).toContain("The model host no longer offers this model. Use claude-sonnet-5-5 instead.");
      expect(made.row).toBeUndefined();
    });
  },
);

describe("an exception inside a stream", () => {
  test.each(exceptions)(
    "the exception %s as the first event of a stream becomes a refusal, and costs nothing",
    async (error, answer) => {
      stack.bedrock.fail({ error, after: 0 });
      const made = await exchange("a stream");
      expectFailure(made, answer);
      expect(made.call.usage).toBeUndefined();
      expect(made.row).toBeUndefined();
    },
  );

  test.each(exceptions)(
    "the exception %s after a hundred events becomes an error event, and the written part is billed",
    async (error, answer) => {
      stack.bedrock.fail({ error, after: 100 });
      const made = await exchange("a stream");
      expectErrorEvent(made, made.call.chunks, answer);
      expect(made.call.chunks).toHaveLength(100);
      const counted = countedUsage(made.call);
      expect(made.row).toMatchObject({ source: "estimated", usage: { ...counted, output: expect.any(Number) } });
      expect(made.row?.usage.output).toBeGreaterThanOrEqual(counted.output);
      expect(made.row?.cost).toBeGreaterThanOrEqual(countedCost(made.call));
      // Not what max_tokens allowed: the model host itself stopped, and a token is at least a byte.
      expect(made.row?.usage.output).toBeLessThanOrEqual(bytesWritten(made.call));
    },
  );

  test.each(exceptions)("the exception %s after message_stop changes nothing", async (error) => {
    const whole = await exchange("a stream");
    stack.bedrock.fail({ error, after: whole.call.chunks.length });
    const { response, text, call, row } = await exchange("a stream");
    expect(response.status).toBe(200);
    expect(call).toMatchObject({ outcome: "failed", error });
    expect(text).toBe(sse(call.chunks));
    expect(row).toMatchObject({ source: "final", usage: countedUsage(call), cost: countedCost(call) });
  });
});

function bytesWritten({ chunks }: ReceivedCall): number {
  const texts = chunks.map((json) => JSON.parse(json).delta?.text ?? "");
  return Buffer.byteLength(texts.join(""));
}

describe("the wording of the model host", () => {
  const words = `messages.3: too long for arn:aws:bedrock:eu-central-1:${accountId}:inference-profile/x of ${accountId}`;
  const told = "messages.3: too long for [resource] of [account]";

  test("the model host's message reaches the client with a 400, without the name of the account", async () => {
    stack.bedrock.fail({ error: "ValidationException", message: words });
    const { response, text } = await exchange("a stream");
    expect(response.status).toBe(400);
    expect(JSON.parse(text).error.message).toBe(told);
  });

  test("the model host's message reaches the client in an error event", async () => {
    stack.bedrock.fail({ error: "validationException", message: words, after: 1 });
    const { text, call } = await exchange("a stream");
    const event = text.slice(sse(call.chunks).length).replace("event: error\ndata: ", "");
    expect(JSON.parse(event).error.message).toBe(told);
  });

  test("the model host's message of other failures is not sent to the client, and is logged without the name of the account", async () => {
    const cursor = stack.logs.lines("proxy-local").length;
    stack.bedrock.fail({ error: "ThrottlingException", message: words });
    const { text, requestId } = await exchange("a stream");
    expect(text).not.toContain("messages.3");
    const lines = stack.logs
      .lines("proxy-local")
      .slice(cursor)
      .map(({ line }) => line);
    expect(lines.filter((line) => line.includes(requestId ?? "") && line.includes("ThrottlingException"))).toHaveLength(
      1,
    );
    expect(lines.join("\n")).not.toContain(accountId);
  });
});

describe("a listed flag that the model host refuses here", () => {
  const asked = {
    model: "claude-opus-4-6",
    anthropic_beta: ["context-management-2025-06-27"],
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
  };

  test.each(["a stream", "a whole answer"])(
    "a listed flag that the model host refuses costs the caller only one repeat: %s",
    async (way) => {
      const region = way === "a stream" ? "eu-central-1" : "us-east-1";
      const known = stack.bedrock.requests().length;
      stack.bedrock.fail({ error: "ValidationException", message: "invalid beta flag" });
      for (let times = 0; times < 2; times++) {
        const headers = { "x-platform-region": region };
        const body = { ...asked, stream: way === "a stream" };
        const { response } = await send(stack, account, body, "/vendor/v1/messages", headers);
        expect([response.status, response.headers.get("x-archway-dropped")]).toEqual([
          200,
          "context-management-2025-06-27, context_management",
        ]);
      }
      const calls = stack.bedrock.requests().slice(known);
      expect(calls.map(({ outcome }) => outcome)).toEqual(["failed", "complete", "complete"]);
      for (const { body } of calls.slice(1)) {
        expect(body).not.toHaveProperty("context_management");
        expect(body).not.toHaveProperty("anthropic_beta");
      }
    },
  );
});

describe("what was left out", () => {
  test.each(["/vendor/v1/messages", "/vendor/v1/messages/count_tokens"])(
    "removed flags and fields are named in a header of the answer and of the model host's refusal: %s",
    async (path) => {
      const asked = { model: "claude-sonnet-4-6", speed: "fast" };
      for (const [changes, status] of [
        [{}, 200],
        [{ messages: [{ role: "user", content: 1 }] }, 400],
      ] as const) {
        const { response } = await send(stack, account, { ...asked, ...changes }, path);
        expect([response.status, response.headers.get("x-archway-dropped")]).toEqual([status, "speed"]);
      }
    },
  );
});

/** Nobody knows whether the model host went on: the budget pays all the output that was asked for, an invoice no more than was received. */
function expectSettledAtBounds({ row, call }: Made): void {
  expect(row).toMatchObject({ source: "estimated", usage: { output: maxTokens } });
  expect(row?.known?.cost).toBeLessThan(row?.cost ?? 0);
  expect(row?.known?.cost).toBeLessThanOrEqual(1.5 * countedCost(call));
  expect(row?.cost).toBeGreaterThanOrEqual(countedCost(call));
  expect(countedCost(call)).toBeGreaterThan(0);
}

/** The client had its error before the answer's end, which was read for the bill alone. */
function expectDrained({ row, call }: Made): void {
  expect(call.outcome).toBe("complete");
  expect(row).toMatchObject({ source: "drained", usage: countedUsage(call), cost: countedCost(call) });
}

describe("an answer that goes wrong", () => {
  test.each(["break", "truncate"] as const)(
    "an answer with the fault %s before the first event is a failure, and is settled at its bounds",
    async (error) => {
      stack.bedrock.fail({ error, after: 0 });
      const made = await exchange("a stream");
      expectFailure(made, unknown);
      expectSettledAtBounds(made);
    },
  );

  test.each(["break", "truncate"] as const)(
    "an answer with the fault %s after a hundred events ends with an error event, and is settled at its bounds",
    async (error) => {
      stack.bedrock.fail({ error, after: 100 });
      const made = await exchange("a stream");
      expectErrorEvent(made, made.call.chunks, failed);
      expect(made.call.chunks).toHaveLength(100);
      expect(made.row?.usage.input).toBe(countedUsage(made.call).input);
      expectSettledAtBounds(made);
    },
  );

  test("an answer without message_stop is an error, and is billed at the host's count", async () => {
    stack.bedrock.fail({ error: "truncate" });
    const made = await exchange("a stream");
    expectErrorEvent(made, made.call.chunks, failed);
    expect(JSON.parse(made.call.chunks.at(-1) ?? "").type).toBe("message_delta");
    expect(made.row).toMatchObject({
      source: "estimated",
      usage: countedUsage(made.call),
      cost: countedCost(made.call),
    });
  });

  test("an unreadable event after a hundred events ends the stream for the client, and the rest is read for the bill", async () => {
    stack.bedrock.fail({ error: "garbage", after: 100 });
    const made = await exchange("a stream");
    expectErrorEvent(made, made.call.chunks.slice(0, 100), failed);
    expect(made.text).not.toContain("this is not JSON");
    expectDrained(made);
  });

  test("an unreadable first event becomes a failure, and the rest of the stream is read for the bill", async () => {
    stack.bedrock.fail({ error: "garbage", after: 0 });
    const made = await exchange("a stream");
    expectFailure(made, unknown);
    expectDrained(made);
  });

  test.each(["break", "truncate", "garbage"] as const)(
    "a whole answer with the fault %s is a failure, and is settled at its bounds",
    async (error) => {
      stack.bedrock.fail({ error });
      const made = await exchange("a whole answer");
      expectFailure(made, unknown);
      expectSettledAtBounds(made);
    },
  );

  test.each(["break", "truncate", "garbage"] as const)("a count with the fault %s costs nothing", async (error) => {
    stack.bedrock.fail({ error });
    const made = await exchange("a count");
    expectFailure(made, failed);
    expect(made.row).toBeUndefined();
  });

  const corruptions: [string, (frames: Buffer[]) => Buffer[]][] = [
    ["a flipped bit", ([first, ...rest]) => [flipped(first as Buffer), ...rest]],
    ["half of a frame", ([first]) => [(first as Buffer).subarray(0, 40)]],
    ["a frame without length", (frames) => [Buffer.alloc(16), ...frames]],
    ["a frame of four gigabytes", (frames) => [Buffer.alloc(16, 255), ...frames]],
    ["another protocol", () => [Buffer.from("HTTP/1.1 200 OK\r\n\r\nHello")]],
  ];

  test.each(corruptions)(
    "a stream corrupted by %s after four events ends with an error event",
    async (_name, corrupt) => {
      corruptAfter(4, corrupt);
      const made = await exchange("a stream");
      expectErrorEvent(made, made.call.chunks.slice(0, 4), failed);
      expectSettledAtBounds(made);
    },
  );

  test.each(corruptions)(
    "a stream corrupted by %s in place of the first event is a failure",
    async (_name, corrupt) => {
      corruptAfter(0, corrupt);
      const made = await exchange("a stream");
      expectFailure(made, unknown);
      expectSettledAtBounds(made);
    },
  );

  test.each([
    ["before the model host has it", "before"],
    ["before its answer", "after"],
  ] as const)(
    "a call whose connection is cut %s has an unknown outcome, and is settled at its bounds",
    async (_name, when) => {
      const operation = "InvokeModelWithResponseStream";
      stack.faults.put([{ service: "bedrock", operation, when, kind: "cut" }]);
      const made = await exchange("a stream");
      expectFailure(made, unknown);
      expect(made.row).toMatchObject({ source: "estimated", usage: { output: maxTokens } });
      expect(stack.bedrock.requests()).toHaveLength(when === "before" ? 0 : 1);
    },
  );
});

/** Spoils the next stream: `corrupt` gets the frames after so many, and gives what is sent instead of them. */
function corruptAfter(count: number, corrupt: (frames: Buffer[]) => Buffer[]): void {
  const handle = stack.bedrock.handle.bind(stack.bedrock);
  jest.spyOn(stack.bedrock, "handle").mockImplementationOnce(async (...call) => {
    const answer = await handle(...call);
    const frames: Buffer[] = [];
    for await (const frame of answer.body as Readable) frames.push(frame);
    const spoiled = [...frames.slice(0, count), ...corrupt(frames.slice(count))];
    return { ...answer, body: Readable.from(spoiled) };
  });
}

function flipped(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  copy[20] = (copy[20] ?? 0) ^ 1;
  return copy;
}

describe("a model host that falls silent", () => {
  const silent = { status: 503, type: "overloaded_error", code: "upstream_overloaded", shouldRetry: "false" } as const;
  const made = new Map<string, Made>();

  /** All at once, as each takes as long as the longest. */
  beforeAll(async () => {
    const pending: Promise<void>[] = [];
    async function begin(name: string, way: Way, prepare: () => void) {
      stack.bedrock.configure({ outputTokens: 120, tokensPerEvent: 1, millisecondsPerToken: 0 });
      prepare();
      const known = stack.bedrock.requests().length;
      pending.push(exchange(way).then((one) => void made.set(name, one)));
      while (stack.bedrock.requests().length === known) await sleep(1);
    }
    const host = stack.bedrock;
    await begin("before a stream", "a stream", () => host.fail({ error: "stall", after: 0 }));
    await begin("in mid-stream", "a stream", () => host.fail({ error: "stall", after: 100 }));
    await begin("before a whole answer", "a whole answer", () => host.fail({ error: "stall" }));
    const slowly = { tokensPerEvent: 200, millisecondsPerToken: 35 };
    await begin("in mid-stream for a while", "a stream", () => host.configure(slowly));
    await begin("before a whole answer for a while", "a whole answer", () => host.configure(slowly));
    await begin("before a stream for a while", "a stream", () => host.configure({ firstByteMs: 4_000 }));
    await Promise.all(pending);
  });

  function heard(name: string): Made {
    const one = made.get(name);
    if (!one) throw new Error(`there was no "${name}"`);
    // The client was told while the model host still had the call.
    expect(one.outcomeSeen).toBe("running");
    return one;
  }

  test("a model host that sends nothing before a stream counts as overloaded, and the call is settled at its bounds", () => {
    const one = heard("before a stream");
    expectFailure(one, silent);
    expectSettledAtBounds(one);
  });

  test("a model host that stops sending in the middle of a stream causes an error event, and the call is settled at its bounds", () => {
    const one = heard("in mid-stream");
    expectErrorEvent(one, one.call.chunks, overloaded);
    expect(one.call.chunks).toHaveLength(100);
    expectSettledAtBounds(one);
  });

  test("a model host that sends nothing before a whole answer causes the advice to stream, and the call is settled at its bounds", () => {
    const one = heard("before a whole answer");
    expectFailure(one, tooSlow);
    expect(one.text).toContain("stream: true");
    expectSettledAtBounds(one);
  });

  test("a call whose model host pauses before a stream is billed at what the host then counted", () => {
    const one = heard("before a stream for a while");
    expectFailure(one, silent);
    expectDrained(one);
  });

  test("a call whose model host pauses in the middle of a stream is billed at what the host then counted", () => {
    const one = heard("in mid-stream for a while");
    expectErrorEvent(one, one.call.chunks.slice(0, 2), overloaded);
    expectDrained(one);
  });

  test("a call whose model host pauses before a whole answer is billed at what the host then counted", () => {
    const one = heard("before a whole answer for a while");
    expectFailure(one, tooSlow);
    expectDrained(one);
  });
});
