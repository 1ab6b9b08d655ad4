// Invoices before a month's end: whoever has used half of what may be unpaid is billed at once, so that paying raises the limit before calls are
// refused (docs/decisions/0060-early-invoices.md).
import type { AllowanceStore } from "../budget/allowance.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { unpaidLimit, unpaidOf } from "../trust/trust.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

/** The share of the limit that the owner has unpaid before an invoice is made. The rest is for the hour until usage is closed and paid. */
const dueShare = 0.5;
/** A workspace is billed if it has this share of the limit unpaid. Of an owner's five workspaces one has, once all of them have half. */
const leastShare = 0.1;

export type EarlyInvoiceDependencies = {
  allowances: Pick<AllowanceStore, "read" | "ownerOf">;
  /** What an owner may use before the first payment, at list price. */
  trialCap: NanoUsd;
};

/** The amount at list price from which an owner's usage is billed before the month's end. */
export function billedFrom(limit: NanoUsd): NanoUsd {
  return Math.ceil(dueShare * limit);
}

/**
 * Whether a workspace's usage is to be billed before the month's end. An owner who is trusted, or never drew on an allowance, is billed by the month.
 * @param open what the workspace has used and no invoice bills, at list price
 */
export async function isDueEarly(
  { allowances, trialCap }: EarlyInvoiceDependencies,
  tenantId: string,
  open: NanoUsd,
): Promise<boolean> {
  // An open amount below this share of the trial's cap cannot be due, whatever was paid: payments only raise the limit.
  if (open < leastShare * trialCap) return false;
  const owner = await allowances.ownerOf(tenantId);
  if (owner === undefined) return false;
  const allowance = await allowances.read(owner);
  const limit = unpaidLimit(trialCap, allowance);
  return open >= leastShare * limit && unpaidOf(allowance.drawn, allowance) >= billedFrom(limit);
}

/** Whether an invoice is on no subscription: one before a month's end, or the last one of a deleted workspace. */
export function isEarly({ subscriptionId, tenantId }: Pick<PaymentInvoice, "subscriptionId" | "tenantId">): boolean {
  return subscriptionId === undefined && tenantId !== undefined;
}
