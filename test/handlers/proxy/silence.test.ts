// Silence of the model host at each point of a stream: the bytes that the caller gets, and when, and the bill.
import Anthropic from "@anthropic-ai/sdk";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { rejection } from "../../../adapters/bedrock/failures.ts";
import { ModelHostError } from "../../../domain/messages/model-host.ts";
import { settle } from "../../support/fake-time.ts";
import { playGated } from "../../support/messages/played-host.ts";
import { openProxy, plainCost, plainEvents, question, type TestProxy } from "../../support/proxy.ts";

const body = { ...question, stream: true };
const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
const onTheWire = (events: string[]) =>
  events.map((json) => `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`).join("");
const seconds = (count: number) => count * 1_000;
/** The stack's bound. */
const bound = seconds(300);
const forEver = seconds(900);

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

/** A request that waits for the model host by now, with the times of its bytes since the request arrived. */
async function begin(request: object = { body }) {
  const startedAt = proxy.time.clock();
  const answer = proxy.send(request);
  const times: number[] = [];
  const { _write } = answer.stream;
  answer.stream._write = (...chunk) => {
    times.push(proxy.time.clock() - startedAt);
    _write.apply(answer.stream, chunk);
  };
  await settle();
  return Object.assign(answer, { times });
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** Plays the events before the silence and, if it ends, those after it. */
async function played(eventsBefore: number, silence: number): Promise<Begun> {
  const host = playGated(proxy.host);
  const answer = await begin();
  await host.send(...plainEvents.slice(0, eventsBefore));
  await proxy.time.advance(silence);
  if (silence < bound) {
    await host.send(...plainEvents.slice(eventsBefore));
    await host.end();
  }
  await answer.settled;
  return answer;
}

function billOf({ requestId }: Begun) {
  const row = proxy.rowOf(requestId);
  return { source: row?.source, booked: row?.cost, billed: row?.known?.cost ?? row?.cost };
}

/** One settlement, and nothing left of the reservation. */
function expectSettledOnce(spent: number | undefined) {
  expect(proxy.spendingOf()).toMatchObject({ spent, committed: spent, inflight: 0, reservations: [] });
  expect(proxy.accounting.calls.filter((call) => call === "settle")).toHaveLength(1);
  expect([proxy.unsettled, proxy.time.waiting]).toEqual([[], 0]);
}

/** The events that came before the silence. */
const points: [name: string, eventsBefore: number][] = [
  ["before the first event", 0],
  ["after message_start", 1],
  ["in the text", 3],
  ["before message_delta", 4],
  ["before message_stop", 5],
];

/** The rates of the plain model's profile, and the tokens that are known at each point if nothing more comes. */
const [perInput, perOutput] = [2_200, 11_000];
const prompt = { estimated: 30, counted: 100 };
/** "An arch é is a curve.", 22 bytes. */
const text = Math.ceil(22 / 3.5);

describe.each(points)("silence %s", (_point, eventsBefore) => {
  const before = plainEvents.slice(0, eventsBefore);
  const after = plainEvents.slice(eventsBefore);

  test.each([
    [10, 0],
    [60, 4],
    [299, 19],
  ])("a silence of %i s is bridged with %i pings, and billed as if it had not been", async (silence, pings) => {
    const answer = await played(eventsBefore, seconds(silence));
    expect([answer.status, answer.text]).toEqual([200, onTheWire(before) + ping.repeat(pings) + onTheWire(after)]);
    expect(billOf(answer)).toEqual({ source: "final", booked: plainCost, billed: plainCost });
    expectSettledOnce(plainCost);
    expect(proxy.refused).toEqual([]);
  });

  test.each([
    ["five minutes", bound],
    ["ever", forEver],
  ])("a silence for %s ends after five minutes with an error, billed once by what is known", async (_, silence) => {
    const answer = await played(eventsBefore, silence);
    expect(answer.text.startsWith(onTheWire(before) + ping.repeat(19))).toBe(true);
    expect(answer.text).toMatch(
      /event: error\ndata: .*"overloaded_error".*may be billed, and so is another attempt.*\n\n$/,
    );
    expect([answer.status, answer.times.at(-1)]).toEqual([200, bound]);
    expect(proxy.refused).toEqual(["upstream_overloaded"]);
    const input = (eventsBefore > 0 ? prompt.counted : prompt.estimated) * perInput;
    const output = { 0: 0, 1: 1, 3: text, 4: text, 5: 20 }[eventsBefore] ?? 0;
    const { source, booked = 0, billed } = billOf(answer);
    expect([source, billed]).toEqual(["estimated", input + output * perOutput]);
    // Nobody knows whether the host went on, unless it said why it stopped: the budget takes all that was asked for.
    if (eventsBefore < 5) expect(booked).toBeGreaterThanOrEqual(1_000 * perOutput);
    expectSettledOnce(booked);
  });
});

test("silence after message_stop is none for the caller, whose answer has ended, and the call is billed by the host's count", async () => {
  const host = playGated(proxy.host);
  const answer = await begin();
  await host.send(...plainEvents);
  await answer.ended;
  expect(answer.text).toBe(onTheWire(plainEvents));
  await proxy.time.advance(forEver);
  await answer.settled;
  expect(answer.text).toBe(onTheWire(plainEvents));
  expect(billOf(answer)).toEqual({ source: "final", booked: plainCost, billed: plainCost });
  expectSettledOnce(plainCost);
});

describe("the status of a stream", () => {
  test("the status waits for the first event for at most 15 s after the model host was called", async () => {
    const host = playGated(proxy.host);
    const answer = await begin();
    await proxy.time.advance(seconds(15) - 1);
    expect(answer.status).toBeUndefined();
    await proxy.time.advance(1);
    expect([answer.status, answer.text]).toEqual([200, ping]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "request-id": answer.requestId,
      "anthropic-ratelimit-requests-limit": "60",
    });
    await host.send(...plainEvents);
    await host.end();
    await answer.settled;
    expect(proxy.finished[0]?.measures).toMatchObject({ first_byte_ms: 15_000 });
  });

  test("the status comes at most 50 s after the call arrived, however long the call waited for its budget", async () => {
    const host = playGated(proxy.host);
    const answer = await begunAfterWait(seconds(45));
    await proxy.time.advance(seconds(5) - 1);
    expect(answer.status).toBeUndefined();
    await proxy.time.advance(1);
    expect([answer.status, answer.text]).toEqual([200, ping]);
    await host.send(...plainEvents);
    await host.end();
    await answer.settled;
    expect(billOf(answer)).toMatchObject({ source: "final", booked: plainCost });
  });

  test("the status names what was left out by then, and the max_tokens that was sent", async () => {
    const refusals = [rejection("of_tomorrow: Extra inputs are not permitted")];
    const host = playGated(proxy.host);
    const { stream } = proxy.host.play;
    proxy.host.play.stream = async (call, signal) => {
      const refusal = refusals.pop();
      if (refusal) throw refusal;
      return stream?.(call, signal) ?? Promise.reject(new Error("nothing is played"));
    };
    const answer = await begin({ body: { ...body, of_tomorrow: 1 } });
    await proxy.time.advance(seconds(15));
    expect([answer.status, answer.headers["x-archway-dropped"]]).toEqual([200, "of_tomorrow"]);
    await host.send(...plainEvents);
    await host.end();
    await answer.settled;
  });

  test.each([
    ["throttled", 503],
    ["rejected", 400],
  ] as const)("the status is the failure's own for a call that is %s within 15 s", async (failure, status) => {
    const host = playGated(proxy.host);
    const answer = await begin();
    await proxy.time.advance(seconds(15) - 1);
    await host.fail(new ModelHostError(failure, "prompt is too long"));
    await answer.settled;
    expect(answer.status).toBe(status);
    expect(proxy.rowOf(answer.requestId)).toBeUndefined();
  });
});

/** A call that waits for the model host after its admission took so long. */
async function begunAfterWait(wait: number): Promise<Begun> {
  const admitted = Promise.withResolvers<void>();
  const { spending } = proxy.accounting;
  const { admit } = spending;
  spending.admit = async (write) => {
    await admitted.promise;
    return admit(write);
  };
  const answer = await begin();
  await proxy.time.advance(wait);
  admitted.resolve();
  await settle();
  return answer;
}

describe("a failure after the status was sent", () => {
  async function failing(error: Error, request: object = { body }) {
    const host = playGated(proxy.host);
    const answer = await begin(request);
    await proxy.time.advance(seconds(20));
    await host.fail(error);
    await answer.settled;
    expect(answer.status).toBe(200);
    const [, json = "{}"] = /event: error\ndata: (.*)\n\n$/.exec(answer.text) ?? [];
    return { answer, error: JSON.parse(json).error };
  }

  test("a late refusal for throttling is an error event, and costs nothing", async () => {
    const { error } = await failing(new ModelHostError("throttled", "slow down"));
    expect(error).toMatchObject({ type: "overloaded_error", message: "The model host is overloaded." });
    expectSettledOnce(0);
    expect([...proxy.accounting.rows.keys()]).toEqual([]);
  });

  test("a late connection failure is an error event, and the call is settled once at its bounds", async () => {
    const { answer } = await failing(new ModelHostError("broken", "reset", { outcomeUnknown: true }));
    expect(billOf(answer)).toMatchObject({ source: "estimated", billed: prompt.estimated * perInput });
    expectSettledOnce(billOf(answer).booked);
  });

  test("a late refusal of a field is not repeated, keeps the host's words, and is remembered for the next call", async () => {
    const request = { body: { ...body, of_tomorrow: 1 } };
    const words = "of_tomorrow: Extra inputs are not permitted";
    const { error } = await failing(rejection(words), request);
    expect(error).toMatchObject({ type: "invalid_request_error", message: words });
    expect(proxy.host.calls).toHaveLength(1);
    proxy.host.play = {};
    const next = await proxy.ask(request);
    expect([next.status, next.headers["x-archway-dropped"], proxy.host.calls.length]).toEqual([200, "of_tomorrow", 2]);
  });

  test("a late first event that cannot be read is an error event, and the rest is read for the bill", async () => {
    const host = playGated(proxy.host);
    const answer = await begin();
    await proxy.time.advance(seconds(20));
    await host.send("not JSON", ...plainEvents);
    await host.end();
    await answer.settled;
    expect(answer.text).toMatch(/^event: ping\n.*\n\nevent: error\n.*\n\n$/);
    expect(billOf(answer)).toMatchObject({ source: "drained", booked: plainCost });
  });
});

describe("a long silence", () => {
  test("a long silence keeps the call's reservation, whose lease is renewed", async () => {
    const host = playGated(proxy.host);
    const answer = await begin();
    await host.send(...plainEvents.slice(0, 1));
    await proxy.time.advance(bound - 1);
    const [reservation] = proxy.spendingOf().reservations;
    expect(reservation?.leaseEndsAt).toBeGreaterThan(proxy.time.clock());
    await host.send(...plainEvents.slice(1));
    await host.end();
    await answer.settled;
    expectSettledOnce(plainCost);
  });

  test.each([0, 1])(
    "a long silence in which the caller leaves, after %i events: the rest is read and billed in full, as drained",
    async (eventsBefore) => {
      const host = playGated(proxy.host);
      const answer = await begin();
      await host.send(...plainEvents.slice(0, eventsBefore));
      await proxy.time.advance(seconds(40));
      answer.stream.destroy();
      await proxy.time.advance(seconds(200));
      await host.send(...plainEvents.slice(eventsBefore));
      await host.end();
      await answer.settled.catch(() => {});
      expect(billOf(answer)).toEqual({ source: "drained", booked: plainCost, billed: plainCost });
      expectSettledOnce(plainCost);
    },
  );

  test("a long silence in hidden thinking is billed by its time, 35.5 tokens a second", async () => {
    const host = playGated(proxy.host);
    const answer = await begin({ body: { ...body, max_tokens: 20_000 } });
    const block = { type: "thinking", thinking: "", signature: "" };
    await host.send(
      plainEvents[0] ?? "",
      JSON.stringify({ type: "content_block_start", index: 0, content_block: block }),
    );
    await proxy.time.advance(bound);
    await answer.settled;
    expect(billOf(answer)).toMatchObject({ billed: prompt.counted * perInput + 10_666 * perOutput });
    expectSettledOnce(billOf(answer).booked);
  });

  test("a long silence that the stack allows ends at the function's deadline, with an error", async () => {
    proxy = openProxy({}, { silenceMs: seconds(10_000) });
    playGated(proxy.host);
    const answer = await begin();
    await proxy.time.advance(seconds(880));
    await answer.settled;
    expect(answer.text.match(/event: error/g)).toHaveLength(1);
    expectSettledOnce(billOf(answer).booked);
  });

  test("many short silences are no long one: a stream may take longer than the bound", async () => {
    const host = playGated(proxy.host);
    const answer = await begin();
    for (const event of plainEvents) {
      await host.send(event);
      await proxy.time.advance(seconds(140));
    }
    await host.end();
    await answer.settled;
    expect(answer.text).toContain("message_stop");
    expect(answer.text).not.toContain("event: error");
  });
});

/** The silence after which each gives a stream up: before its first byte, and between two bytes. */
const watchdogs: [name: string, limits: { firstByte: number; gap: number }][] = [
  // docs.aws.amazon.com, CloudFront, "Response timeout": what components/proxy sets.
  ["CloudFront", { firstByte: 120, gap: 120 }],
  // AWS's load balancers, nginx and most others by default.
  ["a box between that cuts after 60 s", { firstByte: 60, gap: 60 }],
  // Claude Code 2.1.332, constants of its byte watchdog: 180 s against the vendor, 300 s elsewhere.
  ["Claude Code's byte watchdog", { firstByte: 180, gap: 180 }],
  // Claude Code 2.1.332, its event watchdog.
  ["Claude Code's event watchdog", { firstByte: 300, gap: 300 }],
  // PostHog/code#3092.
  ["an agent that cuts after 90 s", { firstByte: 90, gap: 90 }],
  // @anthropic-ai/sdk 1.14.0: the time to the headers.
  ["the vendor's SDKs", { firstByte: 600, gap: Number.POSITIVE_INFINITY }],
];

function silencesOf({ times }: Begun) {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return { firstByte: times[0] ?? Number.POSITIVE_INFINITY, gap: Math.max(0, ...gaps) };
}

function isCut({ firstByte, gap }: (typeof watchdogs)[number][1], answer: Begun): boolean {
  const silences = silencesOf(answer);
  return silences.firstByte >= seconds(firstByte) || silences.gap >= seconds(gap);
}

describe.each(watchdogs)("the time without a byte, as %s counts it", (_name, limits) => {
  test.each(points)(
    "the time without a byte stays within it where the host is silent for ever %s",
    async (_, count) => {
      expect(isCut(limits, await played(count, forEver))).toBe(false);
    },
  );

  test("the time without a byte stays within it after a wait of 45 s for the budget", async () => {
    playGated(proxy.host);
    const answer = await begunAfterWait(seconds(45));
    await proxy.time.advance(forEver);
    await answer.settled;
    expect(isCut(limits, answer)).toBe(false);
  });
});

test("the rules of the boxes between cut a stream of a stack without pings", async () => {
  proxy = openProxy({}, { pingMs: undefined });
  const answer = await played(1, seconds(100));
  expect(watchdogs.filter(([, limits]) => isCut(limits, answer)).map(([name]) => name)).toEqual([
    "a box between that cuts after 60 s",
    "an agent that cuts after 90 s",
  ]);
});

describe("the vendor's SDK", () => {
  /** Reads an answer's bytes with the SDK, and counts its attempts. */
  async function read({ status, headers, text }: Begun) {
    let attempts = 0;
    const fetch = async () => {
      attempts += 1;
      return new Response(text, { status: status ?? 500, headers });
    };
    const client = new Anthropic({ apiKey: "unused", fetch });
    const message = await client.messages
      .stream(question as Anthropic.MessageStreamParams)
      .finalMessage()
      .catch((error) => error);
    return { attempts, message };
  }

  test.each(points)("the SDK reads a stream with a silence of 299 s %s", async (_, count) => {
    const { message } = await read(await played(count, seconds(299)));
    expect(message.content).toMatchObject([{ type: "text", text: "An arch é is a curve." }]);
  });

  test.each(points)("the SDK throws and does not repeat where the host is silent for ever %s", async (_, count) => {
    const { attempts, message } = await read(await played(count, forEver));
    expect(message).toBeInstanceOf(Anthropic.APIError);
    expect([attempts, message.error?.error?.type]).toEqual([1, "overloaded_error"]);
  });
});
