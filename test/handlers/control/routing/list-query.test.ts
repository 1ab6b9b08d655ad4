import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { pageAnswer, pageQuery } from "../../../../handlers/control/routing/list-query.ts";

test("a page without a query has 50 items and begins at the start", () => {
  expect(pageQuery.parse({})).toEqual({ limit: 50, after: undefined });
});

test("the cursor of a page leads to the items after it", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\x21-\x7e]{1,255}$/), (next) => {
      const { next_cursor } = pageAnswer({ items: [], next });
      expect(pageQuery.parse({ cursor: next_cursor, limit: "7" })).toEqual({ limit: 7, after: next });
    }),
  );
});

test("the last page has no cursor", () => {
  expect(pageAnswer({ items: [1], next: undefined })).toEqual({ data: [1] });
});

test.each(["", "a", "YQ==", "Y Q", "\u0000"])("the cursor %p is refused", (cursor) => {
  expect(pageQuery.safeParse({ cursor }).success).toBe(false);
});
