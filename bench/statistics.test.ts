import assert from "node:assert/strict";
import { test } from "node:test";
import { median, quantile } from "./statistics.ts";

test("the median of an even series lies between its middle values", () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([3, 1, 2]), 2);
});

test("a quantile is read between neighbours, whatever the order", () => {
  assert.equal(quantile([30, 10, 20], 0.99), 29.8);
  assert.equal(quantile([5], 0.99), 5);
  assert.ok(Number.isNaN(median([])));
});
