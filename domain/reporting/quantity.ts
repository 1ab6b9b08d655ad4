// Quantities: how much of a cost is billed. The payment provider counts whole micro-USD; the fraction below one is kept for the
// tenant's next event.
import type { MicroUsd } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";

/** A fraction of a micro-USD, in femto-USD (10^-15): a whole number below `femtoPerMicro`. */
export type FemtoUsd = number;

/** A markup has at most six decimals, so that a cost multiplied by it is a whole number of femto-USD. */
const markupScale = 1_000_000;
const femtoPerMicro = 1_000_000_000n;

/**
 * What is billed of a cost at list price. Both are below zero for a correction downwards.
 * @param markup factor with at most six decimals
 * @param fraction kept from the event before
 * @throws RangeError for a markup that is not above 0, or has more decimals
 */
export function billed(cost: NanoUsd, markup: number, fraction: FemtoUsd): { quantity: MicroUsd; fraction: FemtoUsd } {
  const amount = BigInt(cost) * factorOf(markup) + BigInt(fraction);
  // BigInt's remainder has the sign of the amount; the fraction that is kept is never below zero.
  const rest = ((amount % femtoPerMicro) + femtoPerMicro) % femtoPerMicro;
  return { quantity: Number((amount - rest) / femtoPerMicro), fraction: Number(rest) };
}

/** The highest cost at list price that is billed as no more than the quantity. @throws RangeError as `billed` */
export function costWithin(quantity: MicroUsd, markup: number): NanoUsd {
  return Number((BigInt(quantity) * femtoPerMicro) / factorOf(markup));
}

function factorOf(markup: number): bigint {
  const factor = Math.round(markup * markupScale);
  if (factor > 0 && factor / markupScale === markup) return BigInt(factor);
  throw new RangeError(`not a markup above 0 with at most six decimals: ${markup}`);
}
