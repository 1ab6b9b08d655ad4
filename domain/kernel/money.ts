// Money: whole nano-USD inside, decimal USD outside. No amount is ever rounded on its way in or out.
import * as z from "zod";

/**
 * A whole number of nano-USD (1 USD = 1,000,000,000). A plain number and not a bigint, because DynamoDB, JSON and metrics
 * take numbers: amounts stay exact up to `maxNanoUsd`. Products of prices and tokens are computed in bigint (price.ts).
 */
export type NanoUsd = number;

export const nanoUsdPerUsd = 1_000_000_000;

/** 9,000,000 USD, the round amount below 2^53 nano-USD (9,007,199 USD), from where numbers skip integers. */
export const maxNanoUsd: NanoUsd = 9_000_000 * nanoUsdPerUsd;

const amountMessage = "must be an amount in USD from 0 to 9000000 with at most 9 decimals";

/**
 * Reads decimal USD from a JSON number (by its shortest decimal form) or a string such as "12.50".
 * @throws RangeError for anything else: negative, more than 9 decimals, above 9,000,000, exponents in a string.
 */
export function parseUsd(value: number | string): NanoUsd {
  const [, whole, fraction = ""] = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(decimal(value)) ?? [];
  const amount = whole === undefined ? Number.NaN : Number(whole) * nanoUsdPerUsd + Number(fraction.padEnd(9, "0"));
  if (!(amount <= maxNanoUsd)) throw new RangeError(amountMessage);
  return amount;
}

/** Decimal USD without trailing zeros, e.g. "0.000000011". Negative amounts are allowed, because an overspent budget has one. */
export function formatUsd(amount: NanoUsd): string {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of nano-USD: ${amount}`);
  const digits = String(Math.abs(amount)).padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return `${amount < 0 ? "-" : ""}${digits.slice(0, -9)}${fraction && `.${fraction}`}`;
}

/** Decimal USD as a JSON number. Its decimal form is exact up to 15 significant digits; `formatUsd` is always exact. */
export function usdNumber(amount: NanoUsd): number {
  return Number(formatUsd(amount));
}

/** An amount in a JSON document: decimal USD as a number or a string, read as nano-USD. */
export const usd = z.union([z.number(), z.string()], { error: amountMessage }).transform((value, context) => {
  try {
    return parseUsd(value);
  } catch {
    context.addIssue({ code: "custom", message: amountMessage });
    return z.NEVER;
  }
});

/**
 * The number in plain decimal digits for `parseUsd`, because JavaScript writes numbers below 0.000001 with an exponent. With more
 * than nine decimals it stays as it is, and is refused.
 */
function decimal(value: number | string): string {
  const text = String(value);
  if (typeof value === "string" || !text.includes("e")) return text;
  const fixed = value.toFixed(9);
  return Number(fixed) === value ? fixed : text;
}
