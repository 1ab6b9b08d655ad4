import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { isFresh, isToken, parseAccess, readAccess } from "../../../packages/sign-in/access-cache.ts";

const hour = 3_600_000;
const access = { url: "https://api.example.com", access_token: "a.b.c", obtained_at: 0, expires_at: hour };

describe("a token is given out", () => {
  test.each([
    ["right after it was got", 0, true],
    ["while it lasts longer than a client keeps it", hour - 361_000, true],
    ["not when a client would keep it past its end", hour - 360_000, false],
    ["not after its end", hour + 1, false],
    ["though the clock was put right by a little", -50_000, true],
    ["not when the clock was put back since", -hour, false],
  ])("a cached token is used or not by its age and lifetime: %s", (_when, now, fresh) => {
    expect(isFresh(access, now, 360)).toBe(fresh);
  });

  test("a cached token is not used if its lifetime is impossible or not in milliseconds", () => {
    const damaged = [{ expires_at: 9e15 }, { obtained_at: -9e15 }, { obtained_at: 1e308, expires_at: 1e308 }];
    expect(damaged.map((change) => isFresh({ ...access, ...change }, 0, 360))).toEqual([false, false, false]);
  });

  test("a cached token is used in the first half of its life, even if less time is left than requested", () => {
    const short = { ...access, expires_at: 300_000 };
    expect([isFresh(short, 149_000, 360), isFresh(short, 151_000, 360)]).toEqual([true, false]);
  });
});

test("a printed token is one line of ASCII of a length that clients accept", () => {
  const values = ["a.b.c", "", "a b", "a\n", "é", "x".repeat(16_384), "x".repeat(16_385), 7, undefined];
  expect(values.map(isToken)).toEqual([true, false, false, false, false, true, false, false, false]);
});

test.each([
  ...["url", "access_token", "obtained_at", "expires_at"].flatMap((field) =>
    [undefined, null, {}, [], true].map((value) => JSON.stringify({ ...access, [field]: value })),
  ),
  JSON.stringify({ ...access, access_token: "a b" }),
  JSON.stringify({ ...access, access_token: 7 }),
  JSON.stringify({ ...access, obtained_at: "0" }),
  JSON.stringify(access).slice(0, -1),
])("a cache with one damaged field contains no usable token: %s", (text) => {
  expect(parseAccess(text)).toBeUndefined();
});

test.each(["", "null", "[]", "7", '{"url":"x"}', JSON.stringify({ ...access, expires_at: "soon" })])(
  "the cache content %j contains no usable token",
  (text) => {
    expect(parseAccess(text)).toBeUndefined();
  },
);

test("the cache of tokens is read as it was written, and may be missing", () => {
  const folder = mkdtempSync(join(tmpdir(), "archway-"));
  expect(readAccess(folder)).toBeUndefined();
  writeFileSync(join(folder, "access.json"), JSON.stringify(access));
  expect(readAccess(folder)).toEqual(access);
});
