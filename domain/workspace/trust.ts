// Trust: how much of what an owner has used may be unpaid. It grows with what was paid (docs/decisions/0041-debt-and-trust.md).
import type { NanoUsd } from "../kernel/money.ts";

/** This many times of what was paid may be unpaid beside the trial's cap. */
const growth = 4;
/** Who has paid the trial's cap this often has no cap. */
const establishedTimes = 10;

/** @param paid by the owner so far, for all workspaces */
export function unpaidLimit(trialCap: NanoUsd, paid: NanoUsd): NanoUsd {
  return trialCap + growth * paid;
}

export function isEstablished(trialCap: NanoUsd, paid: NanoUsd): boolean {
  return paid >= establishedTimes * trialCap;
}
