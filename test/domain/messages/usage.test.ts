import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type HostCounts,
  maxTokenCount,
  promptTokens,
  type RequestFeatures,
} from "../../../domain/catalog/token-usage.ts";
import { record } from "../../../domain/kernel/json.ts";
import { UsageCollector } from "../../../domain/messages/usage.ts";

const start = (usage: unknown) => ({ type: "message_start", message: { id: "msg_1", usage } });
const text = (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const delta = (usage: unknown) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage });
/** The last event, with the host's own counts beside it. */
const stop = (counts?: HostCounts) => ({ type: "message_stop", counts });

const startUsage = {
  input_tokens: 10,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 2_000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  output_tokens: 1,
};
const counts = { input: 11, output: 55, cacheRead: 2_001, cacheWrite: 300 };

const bounds = { input: 123, output: 64_000 };

function collectAsked(asked: Partial<RequestFeatures>, ...events: unknown[]) {
  const collector = new UsageCollector(bounds, { caching: false, oneHourCaching: false, compaction: false, ...asked });
  for (const event of events) collector.observe(event, 0, record(event).counts as HostCounts | undefined);
  return {
    /** Undefined where the collector says that it knows too little. */
    known: (estimatedInput: number) => collector.known(estimatedInput, 0),
    mayReport: (options?: Parameters<UsageCollector["report"]>[0]) => collector.report(options),
    report(options?: Parameters<UsageCollector["report"]>[0]) {
      const report = collector.report(options);
      if (!report) throw new Error("too little is known");
      return report;
    },
  };
}

const collect = (...events: unknown[]) => collectAsked({}, ...events);

describe("a whole stream", () => {
  test("the usage of a whole stream is counted by the host's own counts, split as message_start says", () => {
    expect(collect(start(startUsage), text("hi"), delta({ output_tokens: 50 }), stop(counts)).report()).toEqual({
      usage: { input: 11, output: 55, cache_read: 2_001, cache_write_5m: 100, cache_write_1h: 200 },
      source: "final",
    });
  });

  test("the usage of a whole stream comes from message_start and the last message_delta if the host's own counts are missing", () => {
    const silent = { input: 11 };
    const events = [start(startUsage), delta({ output_tokens: 20 }), delta({ output_tokens: 50 }), stop(silent)];
    expect(collect(...events).report()).toEqual({
      usage: { input: 11, output: 50, cache_read: 2_000, cache_write_5m: 100, cache_write_1h: 200 },
      source: "final",
    });
  });

  test("the usage of a whole stream includes counts that come only in message_delta or message_stop", () => {
    const late = { input_tokens: 9, cache_read_input_tokens: 70, output_tokens: 50 };
    expect(collect(start({ input_tokens: 0, output_tokens: 0 }), delta(late), stop()).report().usage).toMatchObject({
      input: 9,
      cache_read: 70,
    });
    expect(collect(start({}), { type: "message_stop", usage: late }).report()).toMatchObject({
      usage: { input: 9, output: 50, cache_read: 70 },
      source: "final",
    });
  });

  test("the usage of a whole stream accepts counts of zero", () => {
    const none = { ...counts, cacheRead: 0, cacheWrite: 0 };
    expect(collect(start(startUsage), stop(none)).report().usage).toMatchObject({
      cache_read: 0,
      cache_write_5m: 0,
      cache_write_1h: 0,
    });
  });

  test("the usage of a whole stream is read to its end if the client left before", () => {
    const collector = collect(start(startUsage), delta({ output_tokens: 50 }), stop(counts));
    expect(collector.report({ clientLeft: true })).toEqual({ usage: collector.report().usage, source: "drained" });
  });

  test("the usage of a whole stream counts its text only if the model host did not count the output", () => {
    const long = text("x".repeat(4_000));
    expect(collect(start(startUsage), long, delta({ output_tokens: 5 }), stop()).report()).toMatchObject({
      usage: { output: 5 },
      source: "final",
    });
    expect(collect(start(startUsage), long, stop()).report()).toMatchObject({
      usage: { output: 4_000 },
      source: "estimated",
    });
  });
});

describe("cache writes", () => {
  const counted = (usage: unknown, total?: number, oneHourCaching = false) => {
    const events = [start(usage), delta({ output_tokens: 5 }), stop({ ...counts, cacheWrite: total })];
    return collectAsked({ oneHourCaching }, ...events).report();
  };
  const writes = (...how: Parameters<typeof counted>) => {
    const { cache_write_5m, cache_write_1h } = counted(...how).usage;
    return [cache_write_5m, cache_write_1h];
  };

  test("cache writes without a lifetime count as 5m writes if the call requested no others", () => {
    expect(writes(startUsage, 1_000)).toEqual([800, 200]);
    expect(writes({ cache_creation_input_tokens: 500 })).toEqual([500, 0]);
    expect(writes({}, 500)).toEqual([500, 0]);
    expect(counted({}, 500).source).toBe("final");
  });

  test("cache writes without a lifetime count as 1h writes if the call requested some, and the usage is marked as estimated", () => {
    expect(writes(startUsage, 1_000, true)).toEqual([100, 900]);
    expect(writes({ cache_creation_input_tokens: 500 }, undefined, true)).toEqual([0, 500]);
    expect(writes({}, 500, true)).toEqual([0, 500]);
    expect(counted({}, 500, true).source).toBe("estimated");
    expect(counted(startUsage, 300, true).source).toBe("final");
  });

  test("counts of cache writes never exceed the model host's total, and the expensive kind is kept first", () => {
    expect(writes(startUsage, 250)).toEqual([50, 200]);
    expect(writes(startUsage, 50)).toEqual([0, 50]);
  });

  test("counts of cache writes can come only from the split by lifetimes", () => {
    expect(writes({ cache_creation: startUsage.cache_creation })).toEqual([100, 200]);
  });
});

describe("a compaction", () => {
  const iterations = [
    { type: "compaction", input_tokens: 180_000, output_tokens: 3_500, cache_read_input_tokens: 7 },
    { type: "message", input_tokens: 11, output_tokens: 55 },
    { type: "compaction", input_tokens: 20_000, output_tokens: 500, cache_creation_input_tokens: 9 },
  ];
  const compacted = [start(startUsage), delta({ output_tokens: 55, iterations })];
  const billed = {
    input: 10 + 200_000,
    output: 55 + 4_000,
    cache_read: 2_007,
    cache_write_5m: 109,
    cache_write_1h: 200,
  };

  test("the usage of a compaction is billed in addition to the message's usage", () => {
    expect(collect(...compacted, stop()).report()).toEqual({ usage: billed, source: "final" });
    expect(collect(...compacted, delta({ output_tokens: 55, iterations }), stop()).report().usage).toEqual(billed);
    const message = { type: "message", content: [], usage: { ...startUsage, output_tokens: 55, iterations } };
    expect(collect(message).report().usage).toEqual(billed);
  });

  test("the usage of a compaction is counted once, whether or not the model host's own counts include it", () => {
    const without = stop({ ...counts, input: 10, cacheRead: 2_000 });
    const within = stop({ input: billed.input, output: billed.output, cacheRead: billed.cache_read, cacheWrite: 309 });
    expect(collect(...compacted, without).report()).toEqual({ usage: billed, source: "final" });
    expect(collect(...compacted, within).report()).toEqual({ usage: billed, source: "final" });
  });

  test("a compaction that may have begun makes the cost of a broken stream unknown", () => {
    const events = [start(startUsage), text("hi")];
    expect(collectAsked({ compaction: true }, ...events).mayReport()).toBeUndefined();
    expect(collectAsked({ compaction: true }, ...events).mayReport({ hostStopped: true })).toBeUndefined();
    expect(collectAsked({ compaction: true }, ...compacted, stop()).report().usage).toEqual(billed);
  });

  test("the usage of a compaction is not read from other or hostile iterations", () => {
    const others = [iterations[1], { type: "compaction", input_tokens: -1, output_tokens: "x" }, null, 7];
    for (const iterations of [others, "x", { length: 3 }]) {
      const { usage } = collect(start(startUsage), delta({ output_tokens: 55, iterations }), stop(counts)).report();
      expect(usage).toMatchObject({ input: 11, output: 55 });
    }
  });
});

describe("a stream that breaks off", () => {
  const events = [start(startUsage), text("x".repeat(40)), text("é")];

  test("a stream that breaks off may continue at the model host, so its output is settled at the bound", () => {
    expect(collect(...events).report()).toEqual({
      usage: { input: 10, output: 64_000, cache_read: 2_000, cache_write_5m: 100, cache_write_1h: 200 },
      source: "estimated",
    });
  });

  test("a stream that the model host broke off costs at most a token for each byte", () => {
    expect(collect(...events).report({ hostStopped: true })).toMatchObject({
      usage: { input: 10, output: 42 },
      source: "estimated",
    });
    expect(collect(...events, text("x".repeat(100_000))).report({ hostStopped: true }).usage.output).toBe(64_000);
  });

  test("a stream that breaks off is billed at the model host's last count, if there is one", () => {
    for (const hostStopped of [true, false]) {
      expect(collect(...events, delta({ output_tokens: 50 })).report({ hostStopped })).toMatchObject({
        usage: { output: 50 },
        source: "estimated",
      });
    }
  });

  test("a stream that breaks off is billed at the model host's count only if no output came after it", () => {
    const interim = { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 10 } };
    expect(collect(start(startUsage), interim, text("x".repeat(5_000))).report().usage.output).toBe(64_000);
    expect(collect(start(startUsage), interim, ...events).report({ hostStopped: true }).usage.output).toBe(42);
  });

  describe("if the host itself broke it off", () => {
    const block = (content_block: unknown) => ({ type: "content_block_start", index: 0, content_block });
    const part = (delta: unknown) => ({ type: "content_block_delta", index: 0, delta });
    const output = (...events: unknown[]) =>
      collect(start(startUsage), ...events).report({ hostStopped: true }).usage.output;

    test("a stream that the model host broke off costs at most what its text and tool calls can have taken", () => {
      const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
      const written = [
        block({ type: "text", text: "abcd" }),
        block(call),
        part({ type: "input_json_delta", partial_json: "{}" }),
      ];
      expect(output(...written)).toBe(4 + 2 * JSON.stringify(call).length + 4);
    });

    test.each([
      ["thinking", block({ type: "thinking", thinking: "" })],
      ["a summary of it", part({ type: "thinking_delta", thinking: "hm" })],
      ["redacted thinking", block({ type: "redacted_thinking", data: "x" })],
      ["a signature", part({ type: "signature_delta", signature: "x" })],
      ["a tool of the host", block({ type: "server_tool_use", name: "web_search" })],
      ["what nobody knows yet", block({ type: "hologram" })],
    ])(
      "a stream that breaks off after %s is settled at its bound, because that block is billed differently from what is shown",
      (_name, event) => {
        expect(output(text("x"), event)).toBe(64_000);
      },
    );
  });

  describe("is billed", () => {
    test("a stream that breaks off is billed at the model host's count of the prompt, plus the received text", () => {
      expect(collect(...events).known(999)).toEqual({
        ...{ input: 10, cache_read: 2_000, cache_write_5m: 100, cache_write_1h: 200 },
        output: Math.ceil(42 / 3.5),
      });
    });

    test("a stream that breaks off before the model host's first count is billed only the estimated prompt", () => {
      const nothing = { output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
      expect(collect().known(999)).toEqual({ input: 999, ...nothing });
      expect(collect({ type: "ping" }).known(999)).toEqual({ input: 999, ...nothing });
    });

    test("a stream that breaks off is billed at the shown thinking and tool calls, or at the model host's higher count", () => {
      const part = (delta: unknown) => ({ type: "content_block_delta", index: 0, delta });
      const shown = [
        part({ type: "thinking_delta", thinking: "x".repeat(35) }),
        part({ type: "input_json_delta", partial_json: "x".repeat(70) }),
        part({ type: "signature_delta", signature: "x".repeat(700) }),
      ];
      expect(collect(start(startUsage), ...shown).known(0).output).toBe(30);
      const interim = { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 50 } };
      expect(collect(start(startUsage), ...shown, interim).known(0).output).toBe(50);
      expect(collect(start(startUsage), text("x".repeat(1_000_000))).known(0).output).toBe(64_000);
    });
  });

  test("the usage of a stream that breaks off is an estimate even if the client left first", () => {
    expect(collect(start(startUsage)).report({ clientLeft: true }).source).toBe("estimated");
  });

  test("the usage of a stream that breaks off before its input was counted is unknown", () => {
    expect(collect(stop({ output: 5 })).mayReport()).toBeUndefined();
    expect(collect({ type: "ping" }).mayReport({ hostStopped: true })).toBeUndefined();
  });
});

test("a whole message is counted by its usage", () => {
  const message = {
    type: "message",
    content: [{ type: "text", text: "hi" }],
    usage: { ...startUsage, output_tokens: 7 },
  };
  expect(collect(message).report()).toEqual({
    usage: { input: 10, output: 7, cache_read: 2_000, cache_write_5m: 100, cache_write_1h: 200 },
    source: "final",
  });
});

test("a whole message without a count of its output is estimated by its text, and without any count its usage is unknown", () => {
  const message = { type: "message", content: [{ type: "text", text: "x".repeat(10) }] };
  expect(collect({ ...message, usage: { input_tokens: 3 } }).report()).toMatchObject({
    usage: { input: 3, output: 10 },
    source: "estimated",
  });
  expect(collect(message).mayReport()).toBeUndefined();
});

describe("hostile values", () => {
  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "12", null, {}, [], true, 2 ** 53, maxTokenCount + 1])(
    "the value %p is not accepted as a count of tokens",
    (bad) => {
      const good = [start(startUsage), delta({ output_tokens: 50 })];
      const worse = [
        start({ input_tokens: bad, cache_read_input_tokens: bad, cache_creation: bad, output_tokens: bad }),
        delta({ output_tokens: bad, cache_creation_input_tokens: bad }),
        stop(),
      ];
      expect(collect(...good, ...worse).report()).toEqual({
        usage: { input: 10, output: 50, cache_read: 2_000, cache_write_5m: 100, cache_write_1h: 200 },
        source: "final",
      });
    },
  );

  test("a tool's input nested deeper than the stack is settled at the bound", () => {
    const input = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    const message = { type: "message", content: [{ type: "tool_use", input }], usage: { input_tokens: 1 } };
    expect(collect(message).report().usage.output).toBe(64_000);
  });

  const count = fc.oneof(fc.nat(), fc.anything(), fc.double());
  const usage = fc.record(
    {
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: fc.oneof(
        fc.record({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }),
        fc.anything(),
      ),
    },
    { requiredKeys: [] },
  );
  const counted = fc.nat({ max: maxTokenCount });
  const hostCounts = fc.record(
    { input: counted, output: counted, cacheRead: counted, cacheWrite: counted },
    { requiredKeys: [] },
  );
  const event = fc.oneof(
    usage.map(start),
    usage.map(delta),
    hostCounts.map(stop),
    fc.string().map(text),
    fc.record({ type: fc.constant("message"), usage, content: fc.anything() }),
    fc.anything(),
  );

  test("hostile values in usage cause no error, and every count stays a valid count", () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const report = collect(...events).mayReport();
        for (const value of Object.values(report?.usage ?? {})) {
          expect(Number.isSafeInteger(value) && value >= 0 && value <= maxTokenCount).toBe(true);
        }
      }),
    );
  });

  test("hostile values in usage never lower an estimate below the known part", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.nat({ max: 1_000 })), (texts, counts) => {
        const events = [
          start(startUsage),
          ...texts.map(text),
          ...counts.map((output_tokens) => delta({ output_tokens })),
        ];
        const { usage, source } = collect(...events).report({ hostStopped: true });
        const bytes = texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
        expect(source).toBe("estimated");
        expect(usage.output).toBe(counts.length > 0 ? Math.max(1, ...counts) : Math.min(64_000, Math.max(1, bytes)));
      }),
    );
  });

  test("hostile values in usage never make the split of cache writes differ from their total", () => {
    const small = fc.nat({ max: 1_000 });
    fc.assert(
      fc.property(small, small, small, (fiveMinutes, oneHour, total) => {
        const split = { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour };
        const { usage } = collectAsked(
          { oneHourCaching: true },
          start({ input_tokens: 1, cache_creation: split }),
          stop({ ...counts, cacheWrite: total }),
        ).report();
        expect(usage.cache_write_5m + usage.cache_write_1h).toBe(total);
        expect(usage.cache_write_5m).toBeLessThanOrEqual(fiveMinutes);
      }),
    );
  });
});

test("a prompt's tokens include uncached input, cache reads and cache writes", () => {
  expect(promptTokens({ input: 1, output: 10, cache_read: 100, cache_write_5m: 1_000, cache_write_1h: 10_000 })).toBe(
    11_101,
  );
});
