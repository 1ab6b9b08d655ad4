import { beforeEach, expect, test } from "@jest/globals";
import { IdleTimeout } from "../../../handlers/proxy/idle-timeout.ts";
import { FakeTime } from "../../support/fake-time.ts";

let time: FakeTime;
let acted: number[];
let idleTimeout: IdleTimeout;
beforeEach(() => {
  time = new FakeTime(0);
  acted = [];
  const act = () => void acted.push(time.clock());
  idleTimeout = new IdleTimeout({ schedule: time.schedule, clock: time.clock, milliseconds: 100, act });
});

test("an idle timeout fires once after its time without an event", async () => {
  await time.advance(99);
  expect(acted).toEqual([]);
  await time.advance(1_000);
  expect(acted).toEqual([100]);
  expect(time.waiting).toBe(0);
});

test("an idle timeout counts from the last event", async () => {
  for (let heard = 0; heard < 50; heard++) {
    await time.advance(90);
    idleTimeout.restart();
  }
  expect(acted).toEqual([]);
  await time.advance(99);
  expect(acted).toEqual([]);
  await time.advance(1);
  expect(acted).toEqual([4_600]);
});

test("an idle timeout sets one timer at a time, however many events come", () => {
  for (let heard = 0; heard < 1_000; heard++) idleTimeout.restart();
  expect(time.waiting).toBe(1);
});

test("an idle timeout does not fire after it was ended", async () => {
  idleTimeout.stop();
  await time.advance(1_000);
  expect(acted).toEqual([]);
  expect(time.waiting).toBe(0);
});

test("an idle timeout can start again after it has fired", async () => {
  await time.advance(100);
  idleTimeout.begin();
  await time.advance(99);
  expect(acted).toEqual([100]);
  await time.advance(1);
  expect(acted).toEqual([100, 200]);
  expect(time.waiting).toBe(0);
});
