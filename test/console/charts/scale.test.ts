import { expect, test } from "@jest/globals";
import { steps } from "../../../console/charts/scale.ts";

test.each([
  [0, [0, 1]],
  [Number.NaN, [0, 1]],
  [4, [0, 1, 2, 3, 4]],
  [0.037, [0, 0.01, 0.02, 0.03, 0.04]],
  [90, [0, 25, 50, 75, 100]],
  [1_001, [0, 500, 1_000, 1_500]],
])("an axis for %s has at most four steps from zero, each a round number", (largest, expected) => {
  const made = steps(largest);
  expect(made).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(made[at]).toBeCloseTo(value, 10);
});
