// How much of a cost is billed: whole micro-USD after the markup. What is below one is kept for the next time.

import type { MicroUsd } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";

/** What is below a micro-USD, in femto-USD (10^-15): a whole number below `femtoPerMicro`. */
export type FemtoUsd = number;

/** A markup has at most six decimals, so that a product of it is whole in femto-USD. */
const markupScale = 1_000_000;
const femtoPerMicro = 1_000_000_000n;

/**
 * What is billed of a cost at list price, below zero of a correction downwards.
 * @param markup by which the cost is multiplied, with at most six decimals
 * @param left of the time before
 * @throws RangeError for a markup that is not above 0, or has more decimals
 */
export function billed(cost: NanoUsd, markup: number, left: FemtoUsd): { quantity: MicroUsd; left: FemtoUsd } {
  const amount = BigInt(cost) * factorOf(markup) + BigInt(left);
  // Division of BigInts goes towards zero; what is left is never below it.
  const rest = ((amount % femtoPerMicro) + femtoPerMicro) % femtoPerMicro;
  return { quantity: Number((amount - rest) / femtoPerMicro), left: Number(rest) };
}

/** The highest cost at list price of which no more than the quantity is billed. @throws RangeError as `billed` */
export function costWithin(quantity: MicroUsd, markup: number): NanoUsd {
  return Number((BigInt(quantity) * femtoPerMicro) / factorOf(markup));
}

function factorOf(markup: number): bigint {
  const factor = Math.round(markup * markupScale);
  if (factor > 0 && factor / markupScale === markup) return BigInt(factor);
  throw new RangeError(`not a markup above 0 with at most six decimals: ${markup}`);
}
