import { expect, test } from "@jest/globals";
import { maxNanoUsd } from "../../../domain/kernel/money.ts";
import { billed } from "../../../domain/reporting/quantity.ts";

test("amounts with different markups are billed together, in whole micro-USD", () => {
  expect(billed([{ cost: 1_999, markup: 1 }])).toBe(1);
  expect(
    billed([
      { cost: 1_999, markup: 1 },
      { cost: 1, markup: 1 },
    ]),
  ).toBe(2);
  expect(
    billed([
      { cost: 1_000, markup: 1.25 },
      { cost: 1_000, markup: 0.75 },
    ]),
  ).toBe(2);
  expect(billed([])).toBe(0);
});

test("the largest amount at the largest markup is billed exactly", () => {
  expect(billed([{ cost: maxNanoUsd, markup: 100 }])).toBe(900_000_000_000_000);
});

test.each([0, -1, 1.0000001, Number.NaN])("a markup of %s is refused", (markup) => {
  expect(() => billed([{ cost: 1, markup }])).toThrow(RangeError);
});
