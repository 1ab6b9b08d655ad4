import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatUsd, maxNanoUsd, parseUsd, usd, usdNumber } from "../../../domain/kernel/money.ts";

const amount = fc.integer({ min: 0, max: maxNanoUsd });

describe("parseUsd", () => {
  test.each([
    [0, 0],
    [-0, 0],
    [1, 1_000_000_000],
    [0.1, 100_000_000],
    [12.5, 12_500_000_000],
    [0.1375, 137_500_000],
    [0.000000011, 11],
    [1e-9, 1],
    [4.35, 4_350_000_000],
    [9_000_000, maxNanoUsd],
    ["0", 0],
    ["12.50", 12_500_000_000],
    ["0.000000011", 11],
    ["8999999.999999999", maxNanoUsd - 1],
    ["007", 7_000_000_000],
  ])("the amount %p is read as %p nano-USD", (text, nano) => {
    expect(parseUsd(text)).toBe(nano);
  });

  test.each<number | string>([
    -1,
    -1e-9,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    0.1 + 0.2,
    1.5e-9,
    1e-10,
    9_000_000.000_001,
    1e21,
    "",
    " 1",
    "1 ",
    "+1",
    "-1",
    "1.",
    ".5",
    "1e3",
    "0x10",
    "1,50",
    "1_000",
    "0.0000000001",
    "1.0000000000",
    "9000000.000000001",
    "99999999",
    "NaN",
    "١٢",
    `${"9".repeat(100_000)}`,
  ])("refuses %p", (text) => {
    expect(() => parseUsd(text)).toThrow("must be an amount in USD from 0 to 9000000 with at most 9 decimals");
  });
});

describe("formatUsd", () => {
  test.each([
    [0, "0"],
    [11, "0.000000011"],
    [12_500_000_000, "12.5"],
    [100_000_000_000, "100"],
    [maxNanoUsd, "9000000"],
    [-1_500_000_000, "-1.5"],
    [-1, "-0.000000001"],
  ])("the amount %p is written as %p", (nano, text) => {
    expect(formatUsd(nano)).toBe(text);
  });

  test("a number that is not a whole number of nano-USD cannot be written", () => {
    for (const value of [0.5, Number.NaN, 2 ** 53]) expect(() => formatUsd(value)).toThrow(RangeError);
  });
});

test("every amount is read back from its text", () => {
  fc.assert(fc.property(amount, (nano) => parseUsd(formatUsd(nano)) === nano));
});

test("an amount of 15 digits is also read back from a JSON number", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 15 - 1 }), (nano) => {
      const json = JSON.stringify(usdNumber(nano));
      return parseUsd(JSON.parse(json) as number) === nano;
    }),
  );
});

test("amounts as JSON numbers keep their order", () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => (a < b ? usdNumber(a) <= usdNumber(b) : usdNumber(a) >= usdNumber(b))),
  );
});

describe("usd", () => {
  test("amounts in JSON documents are read", () => {
    expect(usd.parse(12.5)).toBe(12_500_000_000);
    expect(usd.parse("12.5")).toBe(12_500_000_000);
  });

  test.each([-1, "x", null, true, {}, undefined])(
    "the amount %p is refused with one issue that says what is allowed",
    (value) => {
      const { error } = usd.safeParse(value);
      expect(error?.issues.map((issue) => issue.message)).toEqual([
        "must be an amount in USD from 0 to 9000000 with at most 9 decimals",
      ]);
    },
  );
});
