import { beforeEach, expect, test } from "@jest/globals";
import { LastUseWriter } from "../../../domain/access/last-use.ts";

let now: number;
let puts: [string, number][];
let problems: unknown[];
let failure: Error | undefined;
let writer: LastUseWriter;
beforeEach(() => {
  [now, puts, problems, failure] = [0, [], [], undefined];
  const put = async (keyId: string, at: number) => {
    puts.push([keyId, at]);
    if (failure) throw failure;
  };
  const problem = (...told: unknown[]) => void problems.push(told);
  writer = new LastUseWriter({ store: { put }, clock: () => now, log: { info: () => {}, problem } });
});

test("a use is noted at most once a minute, for each key by itself", async () => {
  for (const at of [0, 1, 59_999, 60_000, 60_001]) {
    now = at;
    await writer.note("a");
  }
  await writer.note("b");
  expect(puts).toEqual([
    ["a", 0],
    ["a", 60_000],
    ["b", 60_001],
  ]);
});

test("uses at the same time are noted once", async () => {
  await Promise.all([writer.note("a"), writer.note("a"), writer.note("a")]);
  expect(puts).toHaveLength(1);
});

test("a store that fails is told to the log, and asked again in a minute, not at each call", async () => {
  failure = new Error("down");
  for (const at of [0, 1, 60_000]) {
    now = at;
    await writer.note("a");
  }
  expect(puts).toHaveLength(2);
  expect(problems).toEqual(Array(2).fill(["last_use_not_noted", { key_id: "a" }, failure]));
});
