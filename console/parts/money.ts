// Amounts as people read them.

const cents = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD" });
const small = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumSignificantDigits: 4 });
const round = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  trailingZeroDisplay: "stripIfInteger",
});
const exact = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 6 });
const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** USD; an amount under a cent with four significant digits, so that a single call does not cost nothing. */
export function usd(amount: number): string {
  return amount !== 0 && Math.abs(amount) < 0.01 ? small.format(amount) : cents.format(amount);
}

/** USD on an axis, where all amounts are round. */
export const axisUsd = (amount: number) => (amount !== 0 && amount < 0.01 ? small : round).format(amount);
/** USD of a price, which nobody rounds. */
export const price = (amount: number) => exact.format(amount);
export const count = (value: number) => whole.format(value);
export const roundCount = (value: number) => compact.format(value);
export const share = (value: number) => percent.format(value);
