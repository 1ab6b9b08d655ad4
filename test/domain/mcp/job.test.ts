import { expect, test } from "@jest/globals";
import { waiting } from "../../../domain/mcp/job.ts";

function pauses(untilMs: number) {
  let now = 0;
  const paused: number[] = [];
  const pause = async (milliseconds: number) => {
    paused.push(milliseconds);
    now += milliseconds;
  };
  return { paused, again: waiting({ clock: () => now, pause }, untilMs) };
}

test("pauses of a job grow up to two seconds, and end with its time", async () => {
  const { paused, again } = pauses(8_000);
  while (await again());
  expect(paused).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
});

test("a job does not pause after its time has ended", async () => {
  const { paused, again } = pauses(0);
  expect([await again(), paused]).toEqual([false, []]);
});
