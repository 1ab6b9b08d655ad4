// What is written and not shown is estimated by its time: 128,000 tokens an hour.
import { describe, expect, test } from "@jest/globals";
import { UnseenOutput } from "../../../domain/messages/unseen-output.ts";

const hour = 3_600_000;
const begins = (type: string) => ({ type: "content_block_start", content_block: { type } });
const ends = { type: "content_block_stop" };
const shown = { type: "content_block_delta" };

/** Tokens at a time, after events at their times. */
function tokens(at: number, ...events: [event: object, at: number][]): number {
  const unseen = new UnseenOutput();
  for (const [event, time] of events) unseen.observe(event, time);
  return unseen.tokens(at);
}

describe("in a stream", () => {
  test("thinking is counted from its block's beginning to its end, or until now", () => {
    expect(tokens(hour, [begins("thinking"), 0])).toBe(128_000);
    expect(tokens(hour, [begins("thinking"), 0], [shown, 1_000], [shown, 2_000])).toBe(128_000);
    expect(tokens(hour, [begins("thinking"), 0], [ends, hour / 2])).toBe(64_000);
    expect(tokens(hour, [begins("thinking"), 0], [ends, hour / 4], [begins("thinking"), hour / 2])).toBe(96_000);
  });

  test("a redacted block is counted for the time before it, in which it was written", () => {
    expect(
      tokens(hour, [{ type: "message_start" }, 0], [begins("redacted_thinking"), hour / 2], [ends, hour / 2]),
    ).toBe(64_000);
  });

  test.each(["text", "tool_use", "server_tool_use", "web_search_tool_result", "compaction"])(
    "a block of %s in a stream, which is shown or not written by the model, does not count as unseen output",
    (type) => {
      expect(tokens(hour, [{ type: "message_start" }, 0], [begins(type), hour / 4], [ends, hour / 2])).toBe(0);
    },
  );
});

describe("in one piece", () => {
  test("unseen output is counted from ten seconds after the call's start, during which the prompt is read", () => {
    const unseen = new UnseenOutput();
    unseen.awaitPiece(0);
    expect([9_999, 10_000, 19_000].map((at) => unseen.tokens(at))).toEqual([0, 0, 320]);
  });

  test("a call that sent nothing until it was given up has no unseen output", () => {
    const unseen = new UnseenOutput();
    unseen.awaitPiece(0);
    unseen.giveUp();
    expect(unseen.tokens(hour)).toBe(0);
  });

  test("a stream that is given up keeps counting its unseen output", () => {
    const unseen = new UnseenOutput();
    unseen.observe(begins("thinking"), 0);
    unseen.giveUp();
    expect(unseen.tokens(hour)).toBe(128_000);
  });
});
