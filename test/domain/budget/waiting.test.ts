import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { Waiting, waitMs } from "../../../domain/budget/waiting.ts";

const began = 1_000;
let now: number;
let pauses: number[];
let jitter: number;
const enter = jest.fn<(tenantId: string, requestId: string, until: number) => Promise<boolean>>();
const leave = jest.fn<(tenantId: string, requestId: string) => Promise<void>>();
const aWait = (arrivedAt?: number) => {
  const pause = async (milliseconds: number) => void pauses.push(milliseconds);
  return new Waiting({ waitingRoom: { enter, leave }, clock: () => now, pause, jitter: () => jitter }, "acme", {
    requestId: "request",
    arrivedAt,
  });
};

beforeEach(() => {
  now = began;
  pauses = [];
  jitter = 1;
  enter.mockReset().mockResolvedValue(true);
  leave.mockReset().mockResolvedValue();
});

test("a wait ends just after its longest time, not at it", () => {
  const waiting = aWait();
  now += waitMs;
  expect(waiting.isOver()).toBe(false);
  now += 1;
  expect(waiting.isOver()).toBe(true);
});

test("a wait is counted from the call's arrival, if that was earlier", () => {
  const waiting = aWait(began - 20_000);
  now += waitMs - 20_000;
  expect(waiting.isOver()).toBe(false);
  now += 1;
  expect(waiting.isOver()).toBe(true);
});

describe("the place among those who wait", () => {
  test("a place in the waiting room is taken once, until some seconds after the wait is over, and given back once", async () => {
    const waiting = aWait();
    expect([await waiting.enter(), await waiting.enter()]).toEqual([true, true]);
    expect(enter.mock.calls).toEqual([["acme", "request", began + waitMs + 5_000]]);
    await waiting.leave();
    await waiting.leave();
    expect(leave.mock.calls).toEqual([["acme", "request"]]);
  });

  test("a place in the waiting room is requested again if none was free", async () => {
    enter.mockResolvedValueOnce(false);
    const waiting = aWait();
    expect([await waiting.enter(), await waiting.enter()]).toEqual([false, true]);
  });

  test("there is no place in the waiting room while the store fails, and nothing is given back then", async () => {
    enter.mockRejectedValueOnce(new Error("throttled"));
    const waiting = aWait();
    expect(await waiting.enter()).toBe(false);
    await waiting.leave();
    expect(leave).not.toHaveBeenCalled();
  });

  test("a place in the waiting room that could not be given back is free when its time is over", async () => {
    leave.mockRejectedValueOnce(new Error("throttled"));
    const waiting = aWait();
    await waiting.enter();
    await expect(waiting.leave()).resolves.toBeUndefined();
  });
});

test("pauses of a wait double up to a second, each with its own random part", async () => {
  const waiting = aWait();
  for (const chance of [1, 1, 1, 1, 1, 1, 0.5]) {
    jitter = chance;
    await waiting.pause();
  }
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1_000, 500]);
});

test("a call waits at most three times for calls that are only being settled", async () => {
  const waiting = aWait();
  const awaited = [];
  for (let times = 0; times < 4; times++) awaited.push(await waiting.awaitSettlement());
  expect([awaited, pauses]).toEqual([
    [true, true, true, false],
    [20, 80, 250],
  ]);
});
