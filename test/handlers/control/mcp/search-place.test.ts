// The place of a page in a search of the log.
import { expect, test } from "@jest/globals";
import { cursorAt, placeOf } from "../../../../handlers/control/mcp/search-place.ts";

const now = Date.parse("2026-11-23T12:00:00.000Z");
const page = { limit: 50, most: 10_000 };

test("the cursor of a search contains the end of the time and the number of shown calls", () => {
  expect(placeOf(cursorAt({ to: now, shown: 50 }), page)).toEqual({ to: now, shown: 50 });
  expect(placeOf(undefined, page)).toBeUndefined();
});

test.each(["x", "1#2", `${now}#-1`, `${now}#1 | limit 5`])("the cursor of a search cannot be %j", (cursor) => {
  expect(() => placeOf(cursor, page)).toThrow("cursor: must be the next_cursor");
});

test("the cursor of a search cannot lead beyond the results of one search", () => {
  expect(() => placeOf(`${now}#9950`, page)).toThrow("cursor: leads beyond 10000 calls");
});
