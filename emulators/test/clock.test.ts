import { expect, test } from "@jest/globals";
import { Clock } from "../clock.ts";
import { Store } from "../store.ts";

/** How far the clock is ahead of the machine's, to the second; a millisecond behind is 0, not the -0 that rounding gives. */
const ahead = (clock: Clock) => Math.round((clock.now() - Date.now()) / 1_000) + 0;

test("a clock begins with the machine's time, and advances with it", () => {
  expect(ahead(new Clock())).toBe(0);
});

test("several advances of the clock add up", () => {
  const clock = new Clock();
  clock.advance(60_000);
  clock.advance(3_600_000);
  expect(ahead(clock)).toBe(3_660);
});

test("the clock never goes back", () => {
  const clock = new Clock();
  clock.advance(60_000);
  clock.advance(-30_000);
  expect(ahead(clock)).toBe(60);
});

test("threads that share the clock's memory see each advance", () => {
  const clock = new Clock();
  const seen = new Float64Array(clock.shared);
  expect(seen[0]).toBe(0);
  clock.advance(60_000);
  expect(seen[0]).toBe(60_000);
});

test("a listener of the clock gets each advance until it stops", () => {
  const clock = new Clock();
  const heard: number[] = [];
  const stop = clock.onAdvance(() => heard.push(ahead(clock)));
  clock.advance(1_000);
  clock.advance(2_000);
  stop();
  clock.advance(3_000);
  expect(heard).toEqual([1, 3]);
});

test("a clock with a stored offset starts with that offset", () => {
  const kept = new Store(":memory:").collection<{ milliseconds: number }>("clock");
  new Clock(kept).advance(3_600_000);
  expect(ahead(new Clock(kept))).toBe(3_600);
});
