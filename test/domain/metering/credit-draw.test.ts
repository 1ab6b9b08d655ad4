import { describe, expect, test } from "@jest/globals";
import { CreditDraw } from "../../../domain/metering/credit-draw.ts";
import { aRow } from "../../support/accounting/memory-metering.ts";

/** Of 30 tokens, at 100 nano-USD. */
const row = aRow("a");
const draw = (granted: number, spent = 0, committed = spent) => new CreditDraw({ granted, spent, committed });

describe("free credit pays", () => {
  test("free credit pays for calls in their order, and for a part of the last call if it does not cover the whole", () => {
    const credit = draw(40);
    expect([credit.add(row), credit.add(row), credit.add(row)]).toEqual([
      { credit: 100, due: 0 },
      { credit: 33, due: 67 },
      { credit: 0, due: 100 },
    ]);
    expect(credit.paid).toEqual({ tokens: 40, value: 133, granted: 40 });
  });

  test("free credit pays the known part of a call whose end was not recorded", () => {
    const credit = draw(40);
    expect(credit.add({ ...row, known: { cost: 60, tokens: 20 } }).due).toBe(0);
    expect(credit.paid).toEqual({ tokens: 20, value: 60, granted: 40 });
    expect(draw(0).add({ ...row, known: { cost: 60, tokens: 20 } }).due).toBe(60);
  });

  test("free credit does not pay with tokens that calls in flight have reserved", () => {
    const credit = draw(60, 10, 40);
    expect([credit.add(row).due, credit.paid?.tokens]).toEqual([34, 20]);
  });
});

test("calls made while the platform did not bill draw no credit and are never billed, also after a correction", () => {
  const credit = draw(100);
  for (const more of [{}, { provisional: true as const }, { known: { cost: 60, tokens: 20 } }, { billed: 0 }]) {
    expect(credit.add({ ...row, ...more, on_platform: true })).toEqual({ credit: 0, due: 0 });
  }
  expect(credit.paid).toBeUndefined();
});

describe("free credit pays nothing", () => {
  test("free credit pays nothing if none is left, or if more is spent than was granted", () => {
    for (const credit of [draw(0), draw(30, 30), draw(30, 45)])
      expect([credit.add(row).due, credit.paid]).toEqual([100, undefined]);
  });

  test("free credit does not pay again for a call that it paid at its admission", () => {
    const credit = draw(100);
    expect([credit.add({ ...row, on_credit: true }), credit.paid]).toEqual([{ credit: 100, due: 0 }, undefined]);
  });

  test("free credit does not pay for an estimate, because the true usage would give back money that was never paid", () => {
    const credit = draw(100);
    const known = { cost: 60, tokens: 20 };
    expect(credit.add({ ...row, provisional: true, known })).toEqual({ credit: 0, due: 60 });
    expect(credit.add({ ...row, billed: 70 })).toEqual({ credit: 0, due: 70 });
    expect(credit.paid).toBeUndefined();
  });

  test("free credit pays nothing for a call that used no tokens", () => {
    const usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
    const credit = draw(100);
    expect([credit.add({ ...row, usage, cost: 5 }).due, credit.paid]).toEqual([5, undefined]);
  });
});
