// Whole answers: in time, too slow, broken; and what each costs.
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ModelHostError } from "../../../domain/messages/model-host.ts";
import { settle } from "../../support/fake-time.ts";
import { openProxy, plainCost, plainMessage, question, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
let host: PromiseWithResolvers<string>;
beforeEach(() => {
  proxy = openProxy();
  host = Promise.withResolvers();
  proxy.host.play.invoke = (_call, signal) => {
    signal.addEventListener("abort", () =>
      host.reject(new ModelHostError("timeout", "aborted", { outcomeUnknown: true })),
    );
    return host.promise;
  };
});

const inTime = 115_000;

/** A request that waits for the model host by now. */
async function sendWhole() {
  const answer = proxy.send();
  await settle();
  return answer;
}

describe("a whole answer", () => {
  test("a whole answer may take as long as CloudFront waits", async () => {
    const answer = await sendWhole();
    await proxy.time.advance(inTime - 1);
    host.resolve(plainMessage);
    await answer.settled;
    expect([answer.status, answer.text]).toEqual([200, plainMessage]);
    expect(proxy.finished[0]?.measures).toMatchObject({ first_byte_ms: inTime - 1, duration_ms: inTime - 1 });
    expect(proxy.time.waiting).toBe(0);
  });

  test("a whole answer that takes longer than CloudFront waits is refused with the advice to stream, and later parts are ignored", async () => {
    const answer = await sendWhole();
    await proxy.time.advance(inTime);
    await answer.ended;
    expect([answer.status, answer.headers["x-should-retry"]]).toEqual([503, "false"]);
    expect(answer.json).toMatchObject({
      error: { type: "overloaded_error", message: expect.stringContaining("stream: true") },
      request_id: answer.requestId,
    });
    expect(proxy.refused).toEqual(["upstream_too_slow"]);
    expect(proxy.rowOf(answer.requestId)).toBeUndefined();
    host.resolve(plainMessage);
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ source: "drained", cost: plainCost });
    expect(proxy.spendingOf()).toMatchObject({ spent: plainCost, inflight: 0 });
  });

  test("a whole answer's time includes the time before the model host was called", async () => {
    const admit = Promise.withResolvers<void>();
    const { spending } = proxy.accounting;
    const { admit: real } = spending;
    spending.admit = async (write) => {
      await admit.promise;
      return real(write);
    };
    const answer = await sendWhole();
    await proxy.time.advance(15_000);
    admit.resolve();
    await settle();
    await proxy.time.advance(inTime - 15_000);
    await answer.ended;
    expect(answer.status).toBe(503);
    host.resolve(plainMessage);
    await answer.settled;
  });

  test("a whole answer that never comes is given up at the deadline and settled at its bounds", async () => {
    const answer = await sendWhole();
    await proxy.time.advance(900_000);
    await answer.settled;
    expect(answer.status).toBe(503);
    const row = proxy.rowOf(answer.requestId);
    expect(row).toMatchObject({ source: "estimated", usage: { output: 1_000 } });
    expect(proxy.spendingOf()).toMatchObject({ spent: row?.cost, inflight: 0 });
    expect(proxy.time.waiting).toBe(0);
  });

  test("a whole answer that the model host refuses late is not billed", async () => {
    const answer = await sendWhole();
    await proxy.time.advance(inTime);
    host.reject(new ModelHostError("throttled", "slow down"));
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toBeUndefined();
    expect(proxy.spendingOf()).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
  });
});

describe("a whole answer of which only its time is known", () => {
  async function endedAfter(milliseconds: number, error: ModelHostError) {
    const answer = await sendWhole();
    await proxy.time.advance(milliseconds);
    host.reject(error);
    await answer.settled;
    return proxy.rowOf(answer.requestId)?.known?.tokens;
  }
  const reset = new ModelHostError("broken", "reset", { outcomeUnknown: true });
  /** The prompt, as it is estimated. */
  const prompt = 26;

  test("a whole answer whose connection is reset while the prompt may still be read is billed only the prompt", async () => {
    expect(await endedAfter(10_000, reset)).toBe(prompt);
  });

  test.each([
    [28_000, 640],
    [60_000, 1_000],
  ])(
    "a whole answer whose connection is reset later is billed by its time, within its bound: after %i ms %i tokens",
    async (time, output) => {
      expect(await endedAfter(time, reset)).toBe(prompt + output);
    },
  );

  test("a whole answer that sent nothing until the function's end is billed only the prompt, because it may have ended long before", async () => {
    expect(await endedAfter(60_000, new ModelHostError("timeout", "late", { outcomeUnknown: true }))).toBe(prompt);
  });
});

describe("an answer that is no answer", () => {
  test.each(["", "not JSON", plainMessage.slice(0, 50)])(
    "the model host's answer %j becomes 502, and is settled at the call's bounds",
    async (text) => {
      host.resolve(text);
      const { status, json, requestId } = await proxy.ask();
      expect([status, json.error.type]).toEqual([502, "api_error"]);
      expect(proxy.rowOf(requestId)).toMatchObject({ source: "estimated", usage: { output: 1_000 } });
    },
  );

  test("an answer of another shape is passed on, and settled with bounds for the missing usage", async () => {
    host.resolve('{"type":"of_the_future"}');
    const { status, text, requestId } = await proxy.ask();
    expect([status, text]).toEqual([200, '{"type":"of_the_future"}']);
    expect(proxy.rowOf(requestId)).toMatchObject({ source: "estimated", usage: { output: 1_000 } });
  });
});

describe("a call that breaks", () => {
  test("a call that the model host refuses costs nothing", async () => {
    host.reject(new ModelHostError("rejected", "prompt is too long: 210000 tokens > 200000 maximum"));
    const { status, json, requestId } = await proxy.ask();
    expect([status, json.error.message]).toEqual([400, "prompt is too long: 210000 tokens > 200000 maximum"]);
    expect(proxy.rowOf(requestId)).toBeUndefined();
    expect(proxy.finished).toEqual([]);
    expect(proxy.time.waiting).toBe(0);
  });

  test("a call that breaks at an unknown moment is settled at its bounds, at no less than it could have cost", async () => {
    host.reject(new ModelHostError("broken", "reset", { outcomeUnknown: true }));
    const { status, requestId } = await proxy.ask();
    expect(status).toBe(502);
    expect(proxy.rowOf(requestId)?.cost).toBeGreaterThan(plainCost);
    expect(proxy.finished[0]?.measures.cost_nano_usd).toBe(proxy.rowOf(requestId)?.cost);
  });
});

describe("a long whole answer, which the host writes as a stream", () => {
  const start = { type: "message_start", message: { usage: { input_tokens: 100, output_tokens: 1 } } };
  const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const words = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  const body = { ...question, max_tokens: 20_000 };
  let write: (...events: object[]) => void;
  beforeEach(() => {
    const { play } = proxy.host;
    proxy = openProxy({}, { trialCap: 50_000_000_000 });
    proxy.host.play.invoke = async (call, signal, observe) => {
      write = (...events) => {
        for (const event of events) observe(event);
      };
      return play.invoke?.(call, signal, observe) ?? plainMessage;
    };
  });

  async function sendLong() {
    const answer = proxy.send({ body });
    await settle();
    write(start, block, words("arch ".repeat(700)));
    return answer;
  }

  /** 100 tokens in at 2.20 USD a million, and 3,500 bytes received, at 3.5 bytes a token, at 11 USD. */
  const received = 100 * 2_200 + 1_000 * 11_000;

  test("a long whole answer passes its max_tokens to the model host's port", async () => {
    host.resolve(plainMessage);
    expect((await proxy.ask({ body })).status).toBe(200);
    expect(proxy.host.calls[0]).toMatchObject({ operation: "invoke", maxTokens: 20_000 });
  });

  test("a long whole answer notes its received part with each renewal of the lease, so that a dead function's call is billed for it", async () => {
    const answer = await sendLong();
    await proxy.time.advance(40_000);
    expect(proxy.spendingOf().reservations).toMatchObject([{ known: received }]);
    host.resolve(plainMessage);
    await answer.settled;
  });

  test("a long whole answer that outlasts the function is booked at its bound and billed for what was received", async () => {
    const answer = await sendLong();
    await proxy.time.advance(900_000);
    await answer.settled;
    expect(answer.status).toBe(503);
    const row = proxy.rowOf(answer.requestId);
    expect(row).toMatchObject({ source: "estimated", usage: { input: 100, output: 20_000 } });
    expect(row?.known).toEqual({ cost: received, tokens: 1_100 });
  });

  test("a long whole answer with hidden thinking is billed for the thinking by its time, 35.5 tokens a second", async () => {
    const answer = proxy.send({ body });
    await settle();
    write(start, { ...block, content_block: { type: "thinking", thinking: "", signature: "" } });
    await proxy.time.advance(90_000);
    host.reject(new ModelHostError("broken", "reset", { outcomeUnknown: true }));
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ usage: { output: 20_000 }, known: { tokens: 100 + 3_200 } });
  });

  test("a long whole answer that the model host breaks off is billed for the written part, and its client is told not to repeat it", async () => {
    const answer = await sendLong();
    host.reject(new ModelHostError("throttled", "Too many tokens"));
    await answer.settled;
    expect([answer.status, answer.headers["x-should-retry"]]).toEqual([503, "false"]);
    expect(answer.json.error.message).toContain("may be billed");
    // The host stopped: a token is at least a byte of what was written.
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ usage: { output: 3_500 }, known: { cost: received } });
  });
});
