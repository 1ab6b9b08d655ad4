// Trust: how much an owner may use and not have paid. It grows with what was paid, and has an age beside the amount
// (docs/decisions/0041-debt-and-trust.md, docs/decisions/0094-trust-as-people-settle-it.md).
import type { NanoUsd } from "../kernel/money.ts";

/** What is known of an owner. Amounts are at list price. */
export type Trust = {
  /** The usage that the owner has paid. */
  paid: NanoUsd;
  /** The usage that people have settled without a payment. */
  settled: NanoUsd;
  /** The part of the trial that others have used: a debt that was left with the same address or card, and owners with the same card. */
  taken?: NanoUsd | undefined;
  /** The most that the owner may use at this age, paid or not; undefined for an owner who is old enough. */
  ceiling?: NanoUsd | undefined;
};

/** Terms of the stack for new owners, at list price. */
export type TrustTerms = {
  /** What an owner may use before the first payment. */
  trialCap: NanoUsd;
  /** What an owner may use at most in the first week and in the first month, paid or not. */
  firstWeek: NanoUsd;
  firstMonth: NanoUsd;
};

/** An owner may have the trial's cap unpaid, and this many times the amount that was paid before. */
const growth = 4;
/** An owner who has paid this many times the trial's cap has no cap any more. */
const establishedTimes = 10;

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const monthMs = 30 * dayMs;

/** The most that an owner may have used: what is over, and what may be unpaid. */
export function mostUsed(trialCap: NanoUsd, { paid, settled, taken = 0, ceiling }: Trust): NanoUsd {
  const trial = Math.max(0, trialCap - taken);
  return settled + Math.min(trial + (1 + growth) * paid, ceiling ?? Number.POSITIVE_INFINITY);
}

/** The most that an owner may have used and not paid. */
export function unpaidLimit(trialCap: NanoUsd, trust: Trust): NanoUsd {
  return Math.max(0, mostUsed(trialCap, trust) - trust.paid - trust.settled);
}

/** What an owner has used and not paid. @param drawn what callers have used or reserved since the owner's beginning */
export function unpaidOf(drawn: NanoUsd, { paid, settled }: Pick<Trust, "paid" | "settled">): NanoUsd {
  return Math.max(0, drawn - paid - settled);
}

/** The part of the trial that an owner's unpaid usage takes, beyond what the owner's own payments allow. */
export function trialUse(drawn: NanoUsd, { paid, settled }: Pick<Trust, "paid" | "settled">): NanoUsd {
  return Math.max(0, drawn - settled - (1 + growth) * paid);
}

/**
 * The most that an owner of this age may use, paid or not: a payment of the first weeks may be taken back yet.
 * @param since when the owner first had a payment method, in milliseconds
 */
export function ceilingAt({ firstWeek, firstMonth }: TrustTerms, since: number, now: number): NanoUsd | undefined {
  const age = now - since;
  if (age < weekMs) return firstWeek;
  return age < monthMs ? firstMonth : undefined;
}

export function isEstablished(terms: Pick<TrustTerms, "trialCap">, trust: Pick<Trust, "paid" | "ceiling">): boolean {
  return trust.ceiling === undefined && hasPaidEnough(terms, trust);
}

export function hasPaidEnough({ trialCap }: Pick<TrustTerms, "trialCap">, { paid }: Pick<Trust, "paid">): boolean {
  return paid >= establishedTimes * trialCap;
}
