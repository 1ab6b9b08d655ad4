import { expect, test } from "@jest/globals";
import { maxNanoUsd } from "../../../domain/kernel/money.ts";
import { reachedThreshold } from "../../../domain/notices/threshold.ts";

test.each([
  [0, 100, undefined],
  [49, 100, undefined],
  [50, 100, 50],
  [79, 100, 50],
  [80, 100, 80],
  [99, 100, 80],
  [100, 100, 100],
  [250, 100, 100],
  // Half of an odd amount is more than its lower half.
  [1, 3, undefined],
  [2, 3, 50],
])("an amount of %d of %d reaches the threshold %p", (used, limit, threshold) => {
  expect(reachedThreshold({ used, limit })).toBe(threshold);
});

test("the largest amounts are compared exactly with their limits", () => {
  expect(reachedThreshold({ used: maxNanoUsd - 1, limit: maxNanoUsd })).toBe(80);
  expect(reachedThreshold({ used: maxNanoUsd, limit: maxNanoUsd })).toBe(100);
});

test("no threshold is reached for a limit of 0, or by a value that is not a number", () => {
  expect(reachedThreshold({ used: 5, limit: 0 })).toBeUndefined();
  expect(reachedThreshold({ used: 0, limit: 0 })).toBeUndefined();
  expect(reachedThreshold({ used: Number.NaN, limit: 10 })).toBeUndefined();
});
