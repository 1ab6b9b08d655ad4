// Trust: how much of what an owner has used may be unpaid. It grows with what was paid (docs/decisions/0041-debt-and-trust.md).
import type { NanoUsd } from "../kernel/money.ts";

/** An owner may have the trial's cap unpaid, and this many times the amount that was paid before. */
const growth = 4;
/** An owner who has paid this many times the trial's cap has no cap any more. */
const establishedTimes = 10;

/** @param paid by the owner so far, for all workspaces */
export function unpaidLimit(trialCap: NanoUsd, paid: NanoUsd): NanoUsd {
  return trialCap + growth * paid;
}

export function isEstablished(trialCap: NanoUsd, paid: NanoUsd): boolean {
  return paid >= establishedTimes * trialCap;
}
