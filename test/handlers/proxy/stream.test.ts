import { beforeEach, describe, expect, test } from "@jest/globals";
import { type HostEvent, ModelHostError, type ModelHostFailure } from "../../../domain/messages/model-host.ts";
import { tenantId } from "../../support/accounting/admissions.ts";
import { settle } from "../../support/fake-time.ts";
import { eventOf, playGated, streamOf } from "../../support/messages/played-host.ts";
import { failureStatuses, openProxy, plainCost, plainEvents, question, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

const streaming = { body: { ...question, stream: true } };
const [start = "", ...others] = plainEvents;
const delta = (text: string) =>
  JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const onTheWire = (events: string[]) =>
  events.map((json) => `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`).join("");
/** The rates of the plain model's profile. */
const [perInput, perOutput] = [2_200, 11_000];

/** Plays these events, then what comes of `then`. */
function play(events: string[], then?: () => Promise<unknown> | never): void {
  proxy.host.play.stream = async () =>
    (async function* () {
      yield* streamOf(events);
      await then?.();
    })();
}

async function* arrivingTogether(events: string[]): AsyncGenerator<HostEvent[]> {
  yield events.map(eventOf);
}

function fails(failure: ModelHostFailure, outcomeUnknown = false) {
  return async () => {
    // A rejection comes from its adapter without what names the account; all other wording stays inside.
    const message = failure === "rejected" ? "prompt is too long" : "arn:aws:x::123456789012:y";
    throw new ModelHostError(failure, message, { outcomeUnknown });
  };
}

/** A request that waits for the model host by now. */
async function sendStreaming() {
  const answer = proxy.send(streaming);
  await settle();
  return answer;
}

describe("a stream", () => {
  test("a stream contains each event byte for byte, including message_stop with its metrics", async () => {
    const { status, headers, text } = await proxy.ask(streaming);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(text).toBe(onTheWire(plainEvents));
    expect(text).toContain("amazon-bedrock-invocationMetrics");
  });

  test("a stream passes on unusual events: over several lines, without a plain type, of an unknown type", async () => {
    const odd = ['{\n "type": "ping"\n}', '{"index":0,"type":"of_the_future","x":"é"}', '{"type": "spaced"}'];
    play([start, ...odd, ...others]);
    const { text } = await proxy.ask(streaming);
    expect(text).toBe(
      onTheWire([start]) +
        'event: ping\ndata: {\ndata:  "type": "ping"\ndata: }\n\n' +
        'event: of_the_future\ndata: {"index":0,"type":"of_the_future","x":"é"}\n\n' +
        'event: spaced\ndata: {"type": "spaced"}\n\n' +
        onTheWire(others),
    );
  });

  test("a stream is sent event by event, as they come", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    expect(answer.status).toBeUndefined();
    await host.send(start);
    expect([answer.status, answer.text]).toEqual([200, onTheWire([start])]);
    await host.send(delta("a"), delta("b"));
    expect(answer.text).toBe(onTheWire([start, delta("a"), delta("b")]));
    await host.send(...others);
    await host.end();
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "final", cost: plainCost });
  });

  test("a stream sends events that arrive together in one write", async () => {
    proxy.host.play.stream = async () => arrivingTogether(plainEvents);
    const { text, stream } = await proxy.ask(streaming);
    expect(text).toBe(onTheWire(plainEvents));
    expect(stream.chunks).toHaveLength(1);
  });

  test("the times to a stream's first and last byte are measured", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    await proxy.time.advance(700);
    await host.send(start);
    await proxy.time.advance(300);
    await host.send(...others);
    await host.end();
    await answer.settled;
    expect(proxy.finished[0]?.measures).toMatchObject({ first_byte_ms: 700, duration_ms: 1_000 });
  });

  test("a stream is settled after its last byte was sent", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    await host.send(...plainEvents);
    expect(proxy.rowOf(answer.requestId)).toBeUndefined();
    expect(proxy.spendingOf().inflight).toBe(1);
    await host.end();
    await answer.settled;
    expect(proxy.spendingOf()).toMatchObject({ spent: plainCost, inflight: 0 });
    expect(proxy.time.waiting).toBe(0);
  });
});

describe("a failure before the first event", () => {
  test.each(failureStatuses)(
    "the failure %s before the first event becomes the answer %i, and releases the reservation",
    async (failure, status) => {
      play([], fails(failure));
      const { status: given, json, requestId } = await proxy.ask(streaming);
      expect(given).toBe(status);
      expect(JSON.stringify(json)).not.toMatch(/arn:|\d{12}/);
      expect(proxy.rowOf(requestId)).toBeUndefined();
      expect(proxy.spendingOf()).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
      expect(proxy.time.waiting).toBe(0);
    },
  );

  test.each<[string, () => void]>([
    ["a connection that broke", () => play([], fails("broken", true))],
    ["a stream without events", () => play([])],
    ["something that nobody thought of", () => play([], async () => Promise.reject(new TypeError("?")))],
  ])("that leaves the call of unknown outcome is settled at its bounds: %s", async (_, arrange) => {
    arrange();
    const { status, headers, requestId } = await proxy.ask(streaming);
    expect([status, headers["x-should-retry"]]).toEqual([502, "false"]);
    expect(proxy.rowOf(requestId)).toMatchObject({ source: "estimated", usage: { output: 1_000 } });
    expect(proxy.spendingOf().spent).toBe(proxy.rowOf(requestId)?.cost);
    // Of the prompt only its length is known.
    const { cost = 0, tokens = 0 } = proxy.rowOf(requestId)?.known ?? {};
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThan(100);
    expect(cost).toBe(tokens * perInput);
    expect(proxy.finished[0]?.facts).toMatchObject({ request_id: requestId, source: "estimated" });
  });

  test("a failure before the first event is reported even if the store cannot release the reservation, which is queued for settlement", async () => {
    play([], fails("throttled"));
    proxy.accounting.disturb = (call) => {
      if (call === "settle") throw new Error("down");
    };
    const { status, requestId } = await proxy.ask(streaming);
    expect(status).toBe(503);
    expect(proxy.unsettled).toMatchObject([{ key: { tenantId }, reservation: { requestId } }]);
    expect(proxy.unsettled[0]).not.toHaveProperty("outcome");
  });
});

describe("a failure in the hundredth event", () => {
  const begun = [start, ...Array.from({ length: 98 }, (_, index) => delta(`word${index} `))];
  const written = begun.slice(1).reduce((sum, json) => sum + Buffer.byteLength(JSON.parse(json).delta.text), 0);

  const received = Math.ceil(written / 3.5);

  test("a failure that the host reports in the hundredth event is the last event, and costs at most the written part", async () => {
    play(begun, fails("throttled"));
    const { status, text, requestId } = await proxy.ask(streaming);
    expect(status).toBe(200);
    expect(text.startsWith(onTheWire(begun))).toBe(true);
    const [, error = ""] = /event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(error)).toEqual({
      type: "error",
      error: {
        type: "overloaded_error",
        message: "The model host is overloaded.",
        details: { error_code: "upstream_overloaded" },
      },
      request_id: requestId,
    });
    expect(proxy.rowOf(requestId)).toMatchObject({
      source: "estimated",
      usage: { input: 100, output: written },
      cost: 100 * perInput + written * perOutput,
      known: { cost: 100 * perInput + received * perOutput, tokens: 100 + received },
    });
    expect(proxy.refused).toEqual(["upstream_overloaded"]);
  });

  test("a failure in the hundredth event with an unknown outcome is settled with the whole requested output", async () => {
    play(begun, fails("broken", true));
    const { text, requestId } = await proxy.ask(streaming);
    expect(text).toContain("event: error");
    expect(text).not.toMatch(/arn:|\d{12}/);
    expect(proxy.rowOf(requestId)).toMatchObject({
      source: "estimated",
      cost: 100 * perInput + 1_000 * perOutput,
      known: { cost: 100 * perInput + received * perOutput, tokens: 100 + received },
    });
  });

  test("a prompt that the host rejects in the middle of a stream keeps the host's message, and is not logged", async () => {
    play(begun, async () => {
      throw new ModelHostError("rejected", "messages.3: somebody's words");
    });
    expect((await proxy.ask(streaming)).text).toContain("messages.3: somebody's words");
    expect(proxy.lines).toEqual([]);
  });
});

describe("a stream that ends without message_stop", () => {
  test("a stream without message_stop ends with an error event, and is billed at the host's last count", async () => {
    play(plainEvents.slice(0, -1));
    const { text, requestId } = await proxy.ask(streaming);
    expect(text.match(/event: error/g)).toHaveLength(1);
    expect(proxy.rowOf(requestId)).toMatchObject({ source: "estimated", cost: plainCost });
    expect(proxy.rowOf(requestId)).not.toHaveProperty("known");
  });

  test("a stream without message_stop and without a count of the host is settled with the whole requested output", async () => {
    play([start, delta("a")]);
    const { requestId } = await proxy.ask(streaming);
    expect(proxy.rowOf(requestId)).toMatchObject({ source: "estimated", usage: { input: 100, output: 1_000 } });
  });
});

test("a failure after message_stop changes nothing", async () => {
  play(plainEvents, fails("broken", true));
  const { text, requestId } = await proxy.ask(streaming);
  expect(text).toBe(onTheWire(plainEvents));
  expect(proxy.rowOf(requestId)).toMatchObject({ source: "final", cost: plainCost });
});

const unreadable = ["this is not JSON", "{}", '{"type":7}', "\u0000"];

describe("an event that cannot be read", () => {
  test.each(unreadable)(
    "the unreadable event %j before all others becomes a 502, and the rest is read for the bill",
    async (bad) => {
      play([bad, ...plainEvents]);
      const { status, json, requestId } = await proxy.ask(streaming);
      expect([status, json.error.type, json.request_id]).toEqual([502, "api_error", requestId]);
      expect(proxy.refused).toEqual(["upstream_failed"]);
      expect(proxy.rowOf(requestId)).toMatchObject({ source: "drained", cost: plainCost });
    },
  );

  test.each(unreadable)(
    "the unreadable event %j ends the answer, after the events that arrived with it",
    async (bad) => {
      proxy.host.play.stream = async () => arrivingTogether([start, bad, ...others]);
      const { text, requestId } = await proxy.ask(streaming);
      expect(text.startsWith(`${onTheWire([start])}event: error\n`)).toBe(true);
      expect(text).not.toContain("message_stop");
      expect(proxy.rowOf(requestId)).toMatchObject({ source: "drained", cost: plainCost });
    },
  );

  test.each(unreadable)("the unreadable event %j ends the answer, and the rest is read for the bill", async (bad) => {
    play([start, bad, ...others]);
    const { status, text, requestId } = await proxy.ask(streaming);
    expect(status).toBe(200);
    expect(text.startsWith(`${onTheWire([start])}event: error\n`)).toBe(true);
    expect(text).not.toContain("message_stop");
    expect(proxy.rowOf(requestId)).toMatchObject({ source: "drained", cost: plainCost });
  });
});

describe("a model host that falls silent, in a stack without pings", () => {
  const silent = 115_000;
  beforeEach(() => {
    proxy = openProxy({}, { pingMs: undefined });
  });

  test("a model host that stops sending in the middle of a stream causes an error event before CloudFront gives up, and the rest is read for the bill", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    await host.send(start, delta("a"));
    await proxy.time.advance(silent - 1);
    expect(answer.text).not.toContain("error");
    await proxy.time.advance(1);
    await answer.ended;
    expect(answer.text).toContain('event: error\ndata: {"type":"error","error":{"type":"overloaded_error"');
    expect(proxy.spendingOf().inflight).toBe(1);

    await host.send(delta("b"), ...others);
    await host.end();
    await answer.settled;
    expect(answer.text).not.toContain("message_stop");
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "drained", cost: plainCost });
    expect(proxy.time.waiting).toBe(0);
  });

  test("a model host does not count as silent as long as anything arrives", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    await host.send(start);
    for (let times = 0; times < 5; times++) {
      await proxy.time.advance(silent - 1);
      await host.send(delta("a"));
    }
    await host.send(...others);
    await host.end();
    await answer.settled;
    expect(answer.text).not.toContain("event: error");
    expect(proxy.rowOf(answer.requestId)?.source).toBe("final");
  });

  test("a model host that sends no first event in time is answered with 503, and the call is settled when it ends", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    await proxy.time.advance(silent);
    await answer.ended;
    const { "retry-after": retryAfter, "x-should-retry": shouldRetry } = answer.headers;
    // The host goes on, and bills its answer.
    expect([answer.status, answer.json.error.type, retryAfter, shouldRetry]).toEqual([
      503,
      "overloaded_error",
      undefined,
      "false",
    ]);
    expect(proxy.refused).toEqual(["upstream_overloaded"]);
    await host.send(...plainEvents);
    await host.end();
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "drained", cost: plainCost });
  });

  test("a model host that never sends anything more is given up after 300 s, and the call is settled with the whole requested output", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    await host.send(start);
    await proxy.time.advance(300_000 - 1);
    expect(proxy.spendingOf().inflight).toBe(1);
    await proxy.time.advance(1);
    await answer.settled;
    expect(answer.text.match(/event: error/g)).toHaveLength(1);
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "estimated", usage: { input: 100, output: 1_000 } });
    expect(proxy.time.waiting).toBe(0);
  });

  test("a call whose model host sends no first event is settled at its bounds", async () => {
    playGated(proxy.host);
    const answer = await sendStreaming();
    await proxy.time.advance(900_000);
    await answer.settled;
    expect(answer.status).toBe(503);
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "estimated", usage: { output: 1_000 } });
    expect(proxy.time.waiting).toBe(0);
  });

  test("a model host that stops sending and then refuses has billed nothing", async () => {
    const gate = Promise.withResolvers<never>();
    proxy.host.play.stream = () => gate.promise;
    const answer = await sendStreaming();
    await proxy.time.advance(silent);
    gate.reject(new ModelHostError("timeout", "ModelTimeoutException"));
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toBeUndefined();
    expect(proxy.spendingOf()).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
  });

  test("a model host that stops sending and then breaks off is billed for the received part", async () => {
    const gate = Promise.withResolvers<AsyncIterable<HostEvent[]>>();
    proxy.host.play.stream = () => gate.promise;
    const answer = await sendStreaming();
    await proxy.time.advance(silent);
    gate.resolve(
      (async function* () {
        yield* streamOf([start, delta("ab"), "not JSON"]);
        throw new ModelHostError("throttled", "x");
      })(),
    );
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "estimated", usage: { input: 100, output: 2 } });
  });
});

describe("a client that leaves", () => {
  test("a client that leaves does not end the call, which is read to its end and settled in full, marked as drained", async () => {
    const host = playGated(proxy.host);
    const answer = await sendStreaming();
    await host.send(start);
    answer.stream.destroy();
    await settle();
    await host.send(...others);
    await host.end();
    await answer.settled.catch(() => {});
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "drained", cost: plainCost });
    expect(proxy.spendingOf()).toMatchObject({ spent: plainCost, inflight: 0 });
  });

  test("a client that leaves after the last byte does not count as left", async () => {
    const answer = await proxy.ask(streaming);
    answer.stream.destroy();
    expect(proxy.rowOf(answer.requestId)?.source).toBe("final");
  });
});
