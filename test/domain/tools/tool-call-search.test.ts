// A search for calls in the log: whatever is asked, tenant and integration are part of it.
import { describe, expect, test } from "@jest/globals";
import { cursorAt, insightsQuery, placeOf, searchTimes } from "../../../domain/tools/tool-call-search.ts";

const search = { tenantId: "t-1", target: "pets", from: 0, to: 1, limit: 51 };
const now = Date.parse("2026-11-23T12:00:00.000Z");
const createdAt = "2026-11-01T00:00:00.000Z";
const hour = 3_600_000;

test("the query has tenant and integration, and what else was asked", () => {
  expect(insightsQuery(search)).toBe(
    'fields @timestamp, @message | filter event = "tool_call" and tenant_id = "t-1" and target = "pets" | sort @timestamp desc | limit 51',
  );
  expect(insightsQuery({ ...search, tool: "feed", caller: "ann", outcome: "refused" })).toContain(
    'target = "pets" and tool = "feed" and caller = "ann" and outcome = "refused" |',
  );
});

test.each(['x" or tenant_id = "t-2', "x\\", "x\n", "x | limit 1", "x y", "/x/", "", "'x'"])(
  "%j gets into no query",
  (text) => {
    for (const name of ["tenantId", "target", "tool", "caller"]) {
      expect(() => insightsQuery({ ...search, [name]: text })).toThrow("no plain text");
    }
  },
);

describe("the time that is searched", () => {
  test("is the last hour, and at most a day", () => {
    expect(searchTimes({ now, createdAt })).toEqual({ from: now - hour, to: now });
    const from = new Date(now - 24 * hour).toISOString();
    expect(searchTimes({ from, now, createdAt })).toEqual({ from: now - 24 * hour, to: now });
    const earlier = new Date(now - 24 * hour - 1).toISOString();
    expect(() => searchTimes({ from: earlier, now, createdAt })).toThrow("at most 24 hours");
  });

  test("ends now and begins with the integration: another may have had its name before", () => {
    const to = new Date(now + hour).toISOString();
    const young = new Date(now - 60_000).toISOString();
    expect(searchTimes({ to, now, createdAt: young })).toEqual({ from: now - 60_000, to: now });
  });
});

describe("a page's place", () => {
  test("is the end of the time and how many were shown", () => {
    expect(placeOf(cursorAt({ to: now, shown: 50 }), 50)).toEqual({ to: now, shown: 50 });
    expect(placeOf(undefined, 50)).toBeUndefined();
  });

  test.each(["x", "1#2", `${now}#-1`, `${now}#1 | limit 5`])("is not %j", (cursor) => {
    expect(() => placeOf(cursor, 50)).toThrow("cursor: must be the next_cursor");
  });

  test("leads not beyond what Logs Insights gives", () => {
    expect(() => placeOf(`${now}#9950`, 50)).toThrow("cursor: leads beyond 10000 calls");
  });
});
