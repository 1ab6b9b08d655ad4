import { expect, test } from "@jest/globals";
import { StageThrottle } from "../../../local/edge/stage-throttle.ts";

const takenAt = (throttle: StageThrottle, now: number, tries: number) =>
  Array.from({ length: tries }, () => throttle.takes(now)).filter(Boolean).length;

test("an API stage admits its burst at once, and then calls at its rate", () => {
  const throttle = new StageThrottle({ throttlingRateLimit: 100, throttlingBurstLimit: 200 });
  expect(takenAt(throttle, 0, 500)).toBe(200);
  expect(takenAt(throttle, 500, 500)).toBe(50);
  expect(takenAt(throttle, 60_000, 500)).toBe(200);
});

test("an API stage without settings admits everything", () => {
  expect(takenAt(new StageThrottle(), 0, 5_000)).toBe(5_000);
});
