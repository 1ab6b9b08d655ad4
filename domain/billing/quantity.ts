// How much of a cost is billed: whole micro-USD after the markup. What is below one is kept for the next time.
import type { NanoUsd } from "../money.ts";
import type { MicroUsd } from "./payment-provider.ts";

/** What is below a micro-USD, in femto-USD (10^-15): a whole number below `femtoPerMicro`. */
export type FemtoUsd = number;

/** A markup has at most six decimals, so that a product of it is whole in femto-USD. */
const markupScale = 1_000_000;
const femtoPerMicro = 1_000_000_000n;

/**
 * What is billed of a cost at list price.
 * @param markup by which the cost is multiplied, with at most six decimals
 * @param left of the time before
 * @throws RangeError for a markup that is not above 0, or has more decimals
 */
export function billed(cost: NanoUsd, markup: number, left: FemtoUsd): { quantity: MicroUsd; left: FemtoUsd } {
  const factor = Math.round(markup * markupScale);
  if (!(factor > 0) || factor / markupScale !== markup) {
    throw new RangeError(`not a markup above 0 with at most six decimals: ${markup}`);
  }
  const amount = BigInt(cost) * BigInt(factor) + BigInt(left);
  return { quantity: Number(amount / femtoPerMicro), left: Number(amount % femtoPerMicro) };
}
