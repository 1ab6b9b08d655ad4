// A search for calls in the log: the time that is searched.
import { describe, expect, test } from "@jest/globals";
import { searchTimes } from "../../../domain/tools/tool-call-search.ts";

const now = Date.parse("2026-11-23T12:00:00.000Z");
const createdAt = "2026-11-01T00:00:00.000Z";
const hour = 3_600_000;

describe("the time that is searched", () => {
  test("the searched time of tool calls is by default the last hour, and at most a day", () => {
    expect(searchTimes({ now, createdAt })).toEqual({ from: now - hour, to: now });
    const from = new Date(now - 24 * hour).toISOString();
    expect(searchTimes({ from, now, createdAt })).toEqual({ from: now - 24 * hour, to: now });
    const earlier = new Date(now - 24 * hour - 1).toISOString();
    const moment = new Date(now).toISOString();
    expect(searchTimes({ from: moment, now, createdAt })).toEqual({ from: now, to: now });
    expect(() => searchTimes({ from: earlier, now, createdAt })).toThrow("at most 24 hours");
  });

  test("the searched time of tool calls begins with the integration at the earliest, because its name may have belonged to another one", () => {
    const to = new Date(now + hour).toISOString();
    const young = new Date(now - 60_000).toISOString();
    expect(searchTimes({ to, now, createdAt: young })).toEqual({ from: now - 60_000, to: now });
  });
});
