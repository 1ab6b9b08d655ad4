import { beforeEach, expect, test } from "@jest/globals";
import { enterCrowd, leaveCrowd, windowMs } from "../../../domain/budget/crowd.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { MemoryAccounting } from "../../support/accounting/memory-accounting.ts";

let now: number;
let accounting: MemoryAccounting;
beforeEach(() => {
  now = windowMs * 1_000 + windowMs / 2;
  accounting = new MemoryAccounting(() => now);
});

const deps = () => ({ crowd: accounting.crowd, maxCrowd: 3, clock: () => now });
const enter = (tenantId = "acme", inflight = 9) => enterCrowd(deps(), tenantId, inflight);
const full = expect.objectContaining({ code: "concurrency_limited" });

test("a workspace has at most the allowed number of calls in flight, and a refused call takes no place", async () => {
  const places = [await enter(), await enter(), await enter()];
  for (let time = 0; time < 3; time++) await expect(enter()).rejects.toEqual(full);
  await leaveCrowd(accounting.crowd, places[0]);
  await expect(enter()).resolves.toBeDefined();
  await expect(enter()).rejects.toEqual(full);
});

test("a workspace takes no place of another workspace", async () => {
  for (let time = 0; time < 3; time++) await enter();
  await expect(enter("other")).resolves.toBeDefined();
});

test("the first two simultaneous calls of a caller are not counted, and need no call to the store", async () => {
  for (let time = 0; time < 9; time++) await expect(enter("acme", 2)).resolves.toBeUndefined();
  expect(accounting.commands).toEqual([]);
  await expect(enter("acme", 3)).resolves.toBeDefined();
});

test("a call that lasts into the next window keeps its place; places of dead functions are free after that window", async () => {
  for (let time = 0; time < 3; time++) await enter();
  now += windowMs;
  await expect(enter()).rejects.toEqual(full);
  now += windowMs;
  await expect(enter()).resolves.toBeDefined();
});

test("a place that cannot be given back fails no call", async () => {
  const crowd = { leave: () => Promise.reject(new Refusal("store_unavailable", "x")) };
  await expect(leaveCrowd(crowd, { tenantId: "acme", window: 1 })).resolves.toBeUndefined();
});

test("a store that does not answer refuses no call because of calls in flight", async () => {
  const crowd = { enter: () => Promise.reject(new Refusal("store_unavailable", "x")), leave: async () => {} };
  expect(await enterCrowd({ ...deps(), crowd }, "acme", 9)).toBeUndefined();
});
