import { beforeEach, describe, expect, test } from "@jest/globals";
import { PromptCache } from "../../bedrock/prompt-cache.ts";
import type { PromptPart } from "../../bedrock/request/tokens.ts";
import { Clock } from "../../clock.ts";

const minute = 60_000;
const part = (content: string, tokens: number, ttl?: "5m" | "1h"): PromptPart => ({
  content,
  tokens,
  ...(ttl && { ttl }),
});
const usage = (input: number, read: number, fiveMinutes: number, hour = 0) => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: fiveMinutes + hour,
  cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: hour },
});

let clock: Clock;
let cache: PromptCache;
const use = (...parts: PromptPart[]) => cache.use("model", parts);

beforeEach(() => {
  clock = new Clock();
  cache = new PromptCache(clock);
});

test("a prompt without a cache breakpoint is charged as uncached input", () => {
  expect(use(part("a", 10), part("b", 5))).toEqual(usage(15, 0, 0));
  expect(use(part("a", 10), part("b", 5))).toEqual(usage(15, 0, 0));
});

test("the part of a prompt before a cache breakpoint is written to the cache once and read afterwards", () => {
  expect(use(part("a", 10, "5m"), part("b", 5))).toEqual(usage(5, 0, 10));
  expect(use(part("a", 10, "5m"), part("c", 7))).toEqual(usage(7, 10, 0));
});

test("a changed prefix is not read from the cache", () => {
  use(part("a", 10), part("b", 5, "5m"));
  expect(use(part("z", 10), part("b", 5, "5m"))).toEqual(usage(0, 0, 15));
});

test("a conversation reads its earlier prompt from the cache and writes the new part", () => {
  use(part("system", 100), part("one", 10, "5m"));
  expect(use(part("system", 100), part("one", 10), part("answer", 20), part("two", 5, "5m"))).toEqual(
    usage(0, 110, 25),
  );
});

test("an earlier cache breakpoint is found up to twenty blocks back", () => {
  const between = (length: number) => Array.from({ length }, (_, index) => part(`p${index}`, 1));
  use(part("system", 100, "5m"));
  expect(use(part("system", 100), ...between(19), part("last", 1, "5m"))).toEqual(usage(0, 100, 20));
  cache.clear();
  use(part("system", 100, "5m"));
  expect(use(part("system", 100), ...between(20), part("last", 1, "5m"))).toEqual(usage(0, 0, 121));
});

test("a prompt can write to both cache lifetimes, and each is counted separately", () => {
  expect(use(part("tools", 100, "1h"), part("system", 50, "5m"), part("hi", 3))).toEqual(usage(3, 0, 50, 100));
});

describe("by the stack's clock", () => {
  test("a prompt cached for five minutes ends after five minutes", () => {
    use(part("a", 10, "5m"));
    clock.advance(5 * minute + 1);
    expect(use(part("a", 10, "5m"))).toEqual(usage(0, 0, 10));
  });

  test("reading a cached prompt prolongs its life", () => {
    use(part("a", 10, "5m"));
    clock.advance(4 * minute);
    expect(use(part("a", 10, "5m"))).toEqual(usage(0, 10, 0));
    clock.advance(4 * minute);
    expect(use(part("a", 10, "5m"))).toEqual(usage(0, 10, 0));
  });

  test("a prompt cached for an hour lasts an hour", () => {
    use(part("a", 10, "1h"));
    clock.advance(59 * minute);
    expect(use(part("a", 10, "1h"))).toEqual(usage(0, 10, 0));
    clock.advance(61 * minute);
    expect(use(part("a", 10, "1h"))).toEqual(usage(0, 0, 0, 10));
  });
});

test("models and regions share no cached prompts", () => {
  use(part("a", 10, "5m"));
  expect(cache.use("other", [part("a", 10, "5m")])).toEqual(usage(0, 0, 10));
});
