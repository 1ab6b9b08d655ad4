import { expect, test } from "@jest/globals";
import { keepsPrefix } from "./prefix.ts";

const turn = (words: string, more: object = {}) => ({
  role: "user",
  content: [{ type: "text", text: words, ...more }],
});
const first = { tools: [{ name: "a" }], messages: [turn("one")] };
const second = { ...first, messages: [turn("one"), turn("two")] };
const calls = (...bodies: object[]) => bodies.map((body) => ({ body }));

test("turns whose bodies the host got unchanged keep their prefix, wherever the cache's mark lies", () => {
  const marked = { ...first, messages: [turn("one", { cache_control: { type: "ephemeral" } })] };
  expect(keepsPrefix([first, second], calls(marked, second))).toBe(true);
});

test("a turn that the host got otherwise the second time breaks the prefix", () => {
  const changed = { ...second, messages: [turn("ONE"), turn("two")] };
  expect(keepsPrefix([first, second], calls(first, changed))).toBe(false);
  expect(keepsPrefix([first, second], calls(first, { ...second, tools: [] }))).toBe(false);
});

test("a refused call does not count, and a client that changes its own history has no prefix to keep", () => {
  const refused = { body: { ...first, tools: [] }, error: "ValidationException" };
  expect(keepsPrefix([first, second], [refused, ...calls(first, second)])).toBe(true);
  const compacted = { messages: [turn("in short")] };
  expect(keepsPrefix([first, compacted], calls(first, compacted))).toBe(true);
});
