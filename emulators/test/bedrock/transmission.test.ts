import { once } from "node:events";
import { describe, expect, jest, test } from "@jest/globals";
import { exceptionFrame } from "../../aws/event-stream.ts";
import type { EventIterator } from "../../bedrock/engine.ts";
import type { Interruption } from "../../bedrock/faults.ts";
import type { ReceivedCall } from "../../bedrock/journal.ts";
import type { MessageEvent } from "../../bedrock/message.ts";
import { defaultSettings, type Settings } from "../../bedrock/settings.ts";
import { StreamFailure, Transmission } from "../../bedrock/transmission.ts";
import { readUsage } from "../../bedrock/usage.ts";

const event = (json: string, tokens = 1): MessageEvent => ({ type: "content_block_delta", json, tokens });
const usage = readUsage({ input_tokens: 3, output_tokens: 3 });

function transmit(events: EventIterator, options: { settings?: Partial<Settings>; interruption?: Interruption } = {}) {
  const call: ReceivedCall = {
    operation: "InvokeModelWithResponseStream",
    modelId: "m",
    time: "",
    region: "eu-central-1",
    headers: {},
    body: {},
    sessionTags: {},
    outcome: "running",
    chunks: [],
    usage,
  };
  const closing = Promise.withResolvers<void>();
  const transmission = new Transmission({
    call,
    events,
    wire: { shown: (json) => json, encode: Buffer.from, failure: exceptionFrame },
    interruption: options.interruption,
    settings: { ...defaultSettings, ...options.settings },
    closed: closing.resolve,
  });
  return { call, transmission, closed: closing.promise };
}

async function received(transmission: Transmission): Promise<string[]> {
  const chunks = [];
  for await (const chunk of transmission) chunks.push(String(chunk));
  return chunks;
}

test("events arrive one by one, each in a chunk of its own", async () => {
  const { call, transmission, closed } = transmit([event("a"), event("b"), event("c")].values());
  expect(await received(transmission)).toEqual(["a", "b", "c"]);
  await closed;
  expect(call).toMatchObject({ outcome: "complete", chunks: ["a", "b", "c"], usage });
});

test("nothing is generated ahead for a slow caller", async () => {
  let generated = 0;
  function* endless() {
    for (;;) {
      generated += 1;
      yield event(String(generated));
    }
  }
  const { transmission } = transmit(endless());
  transmission.read();
  transmission.read();
  await new Promise(setImmediate);
  expect(generated).toBeLessThanOrEqual(3);
  transmission.destroy();
});

describe("time", () => {
  test("a transmission waits before the first event, and after each token", async () => {
    const begin = performance.now();
    const settings = { firstByteMs: 20, millisecondsPerToken: 2 };
    const { transmission } = transmit([event("a", 0), event("b", 10)].values(), { settings });
    await once(transmission, "readable");
    const first = performance.now() - begin;
    await received(transmission);
    expect(first).toBeGreaterThanOrEqual(18);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(38);
  });

  test("a transmission ends at once when the caller leaves, and leaves no timer", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "performance"] });
    try {
      const settings = { firstByteMs: 600_000 };
      const { call, transmission, closed } = transmit([event("a")].values(), { settings });
      transmission.read();
      expect(jest.getTimerCount()).toBe(1);
      transmission.destroy();
      await closed;
      expect(jest.getTimerCount()).toBe(0);
      expect(call).toMatchObject({ outcome: "aborted", chunks: [], usage });
    } finally {
      jest.useRealTimers();
    }
  });
});

describe("what is resumed", () => {
  test("a resumed transmission sends the waiting event and all later ones at once", async () => {
    const settings = { millisecondsPerToken: 600_000 };
    const { call, transmission } = transmit([event("a"), event("b")].values(), { settings });
    transmission.read();
    transmission.resumeSending();
    expect(await received(transmission)).toEqual(["a", "b"]);
    expect(call.outcome).toBe("complete");
  });

  test("a transmission continues after a stall that ends or is resumed, and later transmissions do not stall", async () => {
    const interruption: Interruption = { error: "stall", after: 1, message: "" };
    const stalled = transmit([event("a"), event("b")].values(), { interruption });
    const reading = received(stalled.transmission);
    while (stalled.call.error === undefined) await new Promise(setImmediate);
    stalled.transmission.resumeSending();
    expect(await reading).toEqual(["a", "b"]);
    expect(stalled.call).toMatchObject({ outcome: "complete", chunks: ["a", "b"] });
    expect(stalled.call.error).toBeUndefined();
    const short: Interruption = { ...interruption, milliseconds: 1 };
    const ending = transmit([event("a"), event("b")].values(), { interruption: short });
    expect(await received(ending.transmission)).toEqual(["a", "b"]);
    expect([ending.call.outcome, ending.call.error]).toEqual(["complete", undefined]);
    const ahead = transmit([event("a"), event("b")].values(), { interruption });
    ahead.transmission.resumeSending();
    expect(await received(ahead.transmission)).toEqual(["a", "b"]);
  });
});

test("a stream of another server is read to its end after the caller has left", async () => {
  const read: string[] = [];
  async function* upstream() {
    for (const json of ["a", "b", "c"]) {
      read.push(json);
      yield event(json);
    }
  }
  const { call, transmission, closed } = transmit(upstream());
  await once(transmission, "readable");
  transmission.destroy();
  await closed;
  expect(read).toEqual(["a", "b", "c"]);
  expect(call.outcome).toBe("aborted");
  expect(call.chunks.length).toBeLessThan(3);
});

test("a failure of another server becomes an exception", async () => {
  // biome-ignore lint/correctness/useYield: it fails at its first event
  async function* upstream(): AsyncGenerator<MessageEvent, void> {
    throw new StreamFailure("throttlingException", "slow down");
  }
  const { call, transmission } = transmit(upstream());
  expect((await received(transmission)).join()).toContain("slow down");
  expect(call).toMatchObject({ outcome: "failed", error: "throttlingException" });
});

describe("what is asked to go wrong goes wrong", () => {
  const events = () => [event("a"), event("b"), { ...event("c"), type: "message_stop" }].values();
  const interrupted = (error: Interruption["error"], after: number) =>
    transmit(events(), { interruption: { error, after, message: "as asked" } });

  test("an exception ends a transmission after some events, and only those are counted", async () => {
    const { call, transmission } = interrupted("modelStreamErrorException", 2);
    const chunks = await received(transmission);
    expect(chunks.slice(0, 2)).toEqual(["a", "b"]);
    expect(chunks[2]).toContain("as asked");
    expect(call).toMatchObject({ outcome: "failed", error: "modelStreamErrorException", usage: { output_tokens: 2 } });
  });

  test("an exception ends a transmission before the first event, and nothing is counted", async () => {
    const { call, transmission } = interrupted("throttlingException", 0);
    expect(await received(transmission)).toHaveLength(1);
    expect(call.usage).toBeUndefined();
  });

  test("a cut connection ends a transmission, and the whole answer is counted", async () => {
    const { call, transmission } = interrupted("break", 1);
    const chunks: string[] = [];
    transmission.on("data", (chunk) => chunks.push(String(chunk)));
    const [error] = await once(transmission, "error");
    expect(String(error)).toContain("cut the connection");
    expect(chunks).toEqual(["a"]);
    expect(call).toMatchObject({ outcome: "failed", error: "break", usage });
  });

  test("a transmission can be configured to end without message_stop", async () => {
    const { call, transmission } = interrupted("truncate", Number.POSITIVE_INFINITY);
    expect(await received(transmission)).toEqual(["a", "b"]);
    expect(call).toMatchObject({ outcome: "failed", error: "truncate", usage });
  });

  test("a transmission can be configured to end after some events", async () => {
    expect(await received(interrupted("truncate", 1).transmission)).toEqual(["a"]);
  });

  test("a transmission can be configured to end in the middle of a whole answer", async () => {
    const whole = [{ type: "whole", json: "12345678", tokens: 1 }].values();
    const interruption = { error: "truncate", after: Number.POSITIVE_INFINITY, message: "" } as const;
    expect(await received(transmit(whole, { interruption }).transmission)).toEqual(["1234"]);
  });

  test("a transmission can be configured to contain a chunk that is not JSON, with the remaining events after it", async () => {
    const { call, transmission } = interrupted("garbage", 1);
    expect(await received(transmission)).toEqual(["a", "this is not JSON", "b", "c"]);
    expect(call).toMatchObject({ outcome: "complete", error: "garbage" });
  });

  test("a transmission can be configured to send nothing until the caller leaves", async () => {
    const { call, transmission, closed } = interrupted("stall", 1);
    await once(transmission, "readable");
    expect(String(transmission.read())).toBe("a");
    await new Promise(setImmediate);
    expect(transmission.read()).toBeNull();
    expect(call).toMatchObject({ outcome: "running", error: "stall" });
    transmission.destroy();
    await closed;
    expect(call).toMatchObject({ outcome: "aborted", error: "stall", usage });
  });
});
