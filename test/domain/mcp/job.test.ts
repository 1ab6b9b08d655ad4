import { expect, test } from "@jest/globals";
import { NotReady, waited, waiting } from "../../../domain/mcp/job.ts";

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

test("a job asks until there is an answer", async () => {
  const answers = [undefined, undefined, { answer: "ready" }];
  const paused: number[] = [];
  const pause = async (milliseconds: number) => {
    paused.push(milliseconds);
  };
  const ask = async () => answers.shift();
  expect(await waited({ clock: () => 0, pause }, { until: 1 }, "a target is not ready", ask)).toBe("ready");
  expect(paused).toEqual([100, 200]);
});

test("a job that gets no answer in its time is not ready, and says what it waited for", async () => {
  const deps = { clock: () => 0, pause: async () => {} };
  const answer = waited(deps, { until: 0 }, "a target is not ready", async () => undefined);
  await expect(answer).rejects.toEqual(new NotReady("a target is not ready"));
  await expect(answer).rejects.toMatchObject({ name: "NotReady" });
});
