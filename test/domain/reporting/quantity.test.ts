import { expect, test } from "@jest/globals";
import { maxNanoUsd } from "../../../domain/kernel/money.ts";
import { billed, costWithin } from "../../../domain/reporting/quantity.ts";
import { chance } from "../../support/interleaving.ts";

test("a cost is billed in whole micro-USD, and the fraction is kept for the next event", () => {
  expect(billed(1_999, 1, 0)).toEqual({ quantity: 1, fraction: 999_000_000 });
  expect(billed(1, 1, 999_000_000)).toEqual({ quantity: 1, fraction: 0 });
  expect(billed(0, 1, 7)).toEqual({ quantity: 0, fraction: 7 });
});

test("the markup multiplies what is billed", () => {
  expect(billed(1_000, 1.25, 0)).toEqual({ quantity: 1, fraction: 250_000_000 });
  expect(billed(10_000, 0.000001, 0)).toEqual({ quantity: 0, fraction: 10_000 });
});

test("nothing is lost or added by many costs one after the other, whatever the markup", () => {
  const random = chance(1);
  for (const markup of [1, 1.1, 1.000001, 0.333333, 99.999999]) {
    let [sum, quantity, left] = [0n, 0, 0];
    for (let index = 0; index < 500; index++) {
      const cost = Math.floor(random() * 10 ** Math.floor(random() * 12));
      sum += BigInt(cost);
      const next = billed(cost, markup, left);
      quantity += next.quantity;
      left = next.fraction;
    }
    const exact = sum * BigInt(Math.round(markup * 1e6));
    expect([BigInt(quantity), BigInt(left)]).toEqual([exact / 1_000_000_000n, exact % 1_000_000_000n]);
  }
});

test("the largest amount at the largest markup has the 15 digits that the provider takes", () => {
  expect(billed(maxNanoUsd, 100, 0)).toEqual({ quantity: 900_000_000_000_000, fraction: 0 });
});

test.each([0, -1, 1.0000001, Number.NaN])("a markup of %s is refused", (markup) => {
  expect(() => billed(1, markup, 0)).toThrow(RangeError);
});

test("a reversal is billed below zero, and its fraction stays above", () => {
  expect(billed(-1_500, 1, 0)).toEqual({ quantity: -2, fraction: 500_000_000 });
  expect(billed(-1_500, 1, 500_000_000)).toEqual({ quantity: -1, fraction: 0 });
});

test("the cost within a quantity is the largest that is billed as no more than the quantity", () => {
  const random = chance(2);
  for (const markup of [1, 1.1, 1.000001, 0.333333, 99.999999]) {
    for (const quantity of [0, 1, 7, Math.floor(random() * 1e12)]) {
      const cost = costWithin(quantity, markup);
      expect(billed(-cost, markup, 0).quantity).toBeGreaterThanOrEqual(-quantity);
      expect(billed(-cost - 1, markup, 0).quantity).toBeLessThan(-quantity);
    }
  }
});
