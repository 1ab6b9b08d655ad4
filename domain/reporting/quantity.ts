// Quantities: how much of a cost is billed, in whole micro-USD.
import type { MicroUsd } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";

/** A markup has at most six decimals, so that a cost multiplied by it is a whole number of femto-USD (10^-15). */
const markupScale = 1_000_000;
const femtoPerMicro = 1_000_000_000n;
const femtoPerNano = 1_000_000n;

export type Priced = { cost: NanoUsd; markup: number };

/**
 * The amount to bill for costs at list price together, each multiplied by its markup. A part below a micro-USD is left out; it is in the
 * next sum, as sums only grow.
 * @throws RangeError for a markup that is not above 0, or has more than six decimals
 */
export function billed(all: Iterable<Priced>): MicroUsd {
  return Number(femtoUsd(all) / femtoPerMicro);
}

/** Like `billed`, in nano-USD, for people who add up the parts themselves. A part below a nano-USD is left out. */
export function billedNano(all: Iterable<Priced>): NanoUsd {
  return Number(femtoUsd(all) / femtoPerNano);
}

function femtoUsd(all: Iterable<Priced>): bigint {
  let femto = 0n;
  for (const { cost, markup } of all) femto += BigInt(cost) * factorOf(markup);
  return femto;
}

function factorOf(markup: number): bigint {
  const factor = Math.round(markup * markupScale);
  if (factor > 0 && factor / markupScale === markup) return BigInt(factor);
  throw new RangeError(`not a markup above 0 with at most six decimals: ${markup}`);
}
