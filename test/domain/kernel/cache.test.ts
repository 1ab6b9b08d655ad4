import { expect, test } from "@jest/globals";
import { Cache } from "../../../domain/kernel/cache.ts";

function aCache(options: { size?: number; ttlMs?: number } = {}) {
  const time = { now: 0 };
  const cache = new Cache<string>({ size: 2, ttlMs: 60, ...options, clock: () => time.now });
  return { cache, time };
}

test("a cache's entry is gone once its age reaches the limit", () => {
  const { cache, time } = aCache();
  cache.set("a", "1");
  time.now = 59;
  expect(cache.get("a")).toBe("1");
  time.now = 60;
  expect(cache.get("a")).toBeUndefined();
});

test("using a cache's entry does not change its age", () => {
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

test("a cache reads a missing value once, and counts its age from before the read", async () => {
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

test("a cache does not store a missing value", async () => {
  const { cache } = aCache();
  expect(await cache.through("a", async () => undefined)).toBeUndefined();
  expect(await cache.through("a", async () => "there now")).toBe("there now");
});

test("a cache's entry without an age limit stays", () => {
  const { cache, time } = aCache({ ttlMs: Number.POSITIVE_INFINITY });
  cache.set("a", "1");
  time.now = Number.MAX_SAFE_INTEGER;
  expect(cache.get("a")).toBe("1");
});
