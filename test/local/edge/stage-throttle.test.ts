import { expect, test } from "@jest/globals";
import { StageThrottle } from "../../../local/edge/stage-throttle.ts";

const takenAt = (throttle: StageThrottle, now: number, tries: number) =>
  Array.from({ length: tries }, () => throttle.takes(now)).filter(Boolean).length;

test("a stage takes its burst at once, and then its rate", () => {
  const throttle = new StageThrottle({ throttlingRateLimit: 100, throttlingBurstLimit: 200 });
  expect(takenAt(throttle, 0, 500)).toBe(200);
  expect(takenAt(throttle, 500, 500)).toBe(50);
  expect(takenAt(throttle, 60_000, 500)).toBe(200);
});

test("a stage without settings takes everything", () => {
  expect(takenAt(new StageThrottle(), 0, 5_000)).toBe(5_000);
});
