import { expect, test } from "@jest/globals";
import { Cache } from "../../../domain/kernel/cache.ts";

function aCache(options: { size?: number; ttlMs?: number } = {}) {
  const time = { now: 0 };
  const cache = new Cache<string>({ size: 2, ttlMs: 60, ...options, clock: () => time.now });
  return { cache, time };
}

test("an entry is gone once it is as old as its limit", () => {
  const { cache, time } = aCache();
  cache.set("a", "1");
  time.now = 59;
  expect(cache.get("a")).toBe("1");
  time.now = 60;
  expect(cache.get("a")).toBeUndefined();
});

test("using an entry does not make it younger", () => {
  const { cache, time } = aCache();
  cache.set("a", "1");
  time.now = 59;
  cache.get("a");
  time.now = 61;
  expect(cache.get("a")).toBeUndefined();
});

test("a full cache drops the least recently used entry first", () => {
  const { cache } = aCache();
  cache.set("a", "1");
  cache.set("b", "2");
  cache.get("a");
  cache.set("c", "3");
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual(["1", undefined, "3"]);
});

test("a cache reads through once, and counts the age from before the read", async () => {
  const { cache, time } = aCache();
  let reads = 0;
  const read = async () => {
    time.now += 50;
    return `read ${++reads}`;
  };
  expect(await cache.through("a", read)).toBe("read 1");
  expect(await cache.through("a", read)).toBe("read 1");
  time.now = 60;
  expect(await cache.through("a", read)).toBe("read 2");
});

test("nothing found is not remembered", async () => {
  const { cache } = aCache();
  expect(await cache.through("a", async () => undefined)).toBeUndefined();
  expect(await cache.through("a", async () => "there now")).toBe("there now");
});

test("an entry of a cache without an age limit stays", () => {
  const { cache, time } = aCache({ ttlMs: Number.POSITIVE_INFINITY });
  cache.set("a", "1");
  time.now = Number.MAX_SAFE_INTEGER;
  expect(cache.get("a")).toBe("1");
});
