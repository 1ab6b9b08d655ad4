import { describe, expect, test } from "@jest/globals";
import { countsIn } from "../../../adapters/bedrock/invocation-metrics.ts";
import { maxTokenCount } from "../../../domain/catalog/token-usage.ts";

const metrics = {
  inputTokenCount: 11,
  outputTokenCount: 55,
  cacheReadInputTokenCount: 2_001,
  cacheWriteInputTokenCount: 0,
  invocationLatency: 1_000,
  firstByteLatency: 100,
};
const eventWith = (value: unknown, type = "message_stop") =>
  Buffer.from(JSON.stringify({ type, "amazon-bedrock-invocationMetrics": value }));
const said = 'The field is "amazon-bedrock-invocationMetrics".';

test("the metrics in a stream's last event are the host's counts for the call", () => {
  expect(countsIn(eventWith(metrics))).toEqual({ input: 11, output: 55, cacheRead: 2_001, cacheWrite: 0 });
});

describe("an event without counts", () => {
  test.each<[string, Buffer]>([
    ["has no metrics", Buffer.from('{"type":"message_stop"}')],
    ["is not the last one of the stream", eventWith(metrics, "message_delta")],
    [
      "has a text that speaks of metrics",
      Buffer.from(JSON.stringify({ type: "content_block_delta", delta: { text: said } })),
    ],
    ["is no JSON", Buffer.from('{"type":"message_stop","amazon-bedrock-invocationMetrics":{')],
  ])("an event gives no counts if it %s", (_, event) => expect(countsIn(event)).toBeUndefined());
});

test.each([-1, 1.5, "12", null, {}, [], true, 2 ** 53, maxTokenCount + 1])(
  "%p in the metrics is not accepted as a count",
  (bad) => {
    expect(countsIn(eventWith({ ...metrics, outputTokenCount: bad }))).toMatchObject({ input: 11, output: undefined });
  },
);

test.each([undefined, null, 7, "x", []])("metrics that are %p give no counts", (value) => {
  expect(Object.values(countsIn(eventWith(value)) ?? {}).filter((count) => count !== undefined)).toEqual([]);
});
