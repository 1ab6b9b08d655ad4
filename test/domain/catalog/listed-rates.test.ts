import { expect, test } from "@jest/globals";
import { completeRates, listedKinds, listedRate } from "../../../domain/catalog/listed-rates.ts";

const row = { name: "x", reach: "global", kind: "input", isLong: false, usd: "4", from: "2026-11-01" } as const;

test("a listed rate is read only where it is one, and above zero", () => {
  expect(listedRate([row], "input", false)).toMatchObject({ usd: "4", nanoUsd: 4e9 });
  expect(listedRate([row], "input", true)).toBeUndefined();
  expect(listedRate([row, { ...row, usd: "5" }], "input", false)).toEqual({ problem: "2 prices: 4, 5" });
  expect(listedRate([{ ...row, usd: "0" }], "input", false)).toEqual({ problem: "a price of zero" });
  expect(listedRate([{ ...row, usd: "-1" }], "input", false)).toEqual({ problem: '"-1", which is no price' });
});

test("rates are complete once each kind of token has one", () => {
  const rows = listedKinds.map((kind) => ({ ...row, kind }));
  expect(completeRates(rows)).toEqual(["4", "4", "4", "4", "4"]);
  expect(completeRates(rows.slice(1))).toBeUndefined();
});
