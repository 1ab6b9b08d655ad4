import { expect, test } from "@jest/globals";
import { droppedHeader } from "../../../handlers/proxy/response.ts";

const name = "x-archway-dropped";

test("left-out fields are named in a header as a list", () => {
  expect(droppedHeader(["claude-code-20250219", "tools[].defer_loading"])).toEqual({
    [name]: "claude-code-20250219, tools[].defer_loading",
  });
});

test("the header of left-out fields is missing if nothing was left out", () => {
  expect(droppedHeader([])).toEqual({});
});

test("the header of left-out fields is readable by every client: names are at most 100 characters, all together 2,000", () => {
  expect(droppedHeader(["a\r\nb: 1", "é,ü", "x".repeat(200)])).toEqual({ [name]: `a??b:?1, ???, ${"x".repeat(100)}` });
  expect(droppedHeader(Array.from({ length: 60 }, (_, place) => `${10 + place}`.padEnd(80, "x")))[name]).toHaveLength(
    2_003,
  );
});
